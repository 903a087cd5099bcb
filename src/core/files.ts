import { inputTooLarge } from './failures.js';
import { collectBytes } from './text/bytes.js';

/**
 * Why a file or folder is open to other users; undefined if it is not. Windows uses access lists instead, so it is not
 * checked here.
 * @param us `process.geteuid?.()`
 * @param wanted.orRoots Whether root may own it. @param wanted.denied Mode bits that others may not have.
 */
export function accessProblem(
  { uid, mode }: { readonly uid: number; readonly mode: number },
  us: number | undefined,
  wanted: { readonly orRoots?: boolean; readonly denied?: number; readonly hint?: string } = {},
): string | undefined {
  const { orRoots = false, denied = 0o077, hint = '' } = wanted;
  if (us === undefined) return undefined;
  if (uid !== us && !(orRoots && uid === 0)) return `it belongs to user ${uid}, not to you (${us})`;
  if ((mode & denied) === 0) return undefined;
  const what = denied === 0o022 ? 'can write to it' : 'have access to it';
  return `other users ${what} (mode ${(mode & 0o777).toString(8)}${hint})`;
}

/**
 * All bytes of an input.
 * @param what Its name in messages, a path or `stdin`.
 * @throws Failure `input_too_large`, or what the input throws
 */
export function readWhole(chunks: AsyncIterable<Uint8Array>, what: string, maxBytes: number): Promise<Uint8Array> {
  return collectBytes(chunks, maxBytes, () => inputTooLarge(what, maxBytes));
}
