import { requestUnusable } from './failures.js';
import { isWholeBazelRequest, isWholeHead } from './formats/by-url.js';
import type { Input } from './formats/call.js';
import { isWholeGitRequest } from './formats/git-attributes.js';

const longestMs = 5_000;

const mostBytes = 1_048_576;

/** What came on stdin, up to the end that the format defines; or why there is none. */
export type ReadInput =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly why: string };

const isWhole: Readonly<Record<Exclude<Input, undefined>, (bytes: Uint8Array) => boolean>> = {
  git: isWholeGitRequest,
  bazel: isWholeBazelRequest,
  goauth: isWholeHead,
};

/** Is this all of a request, or all that comes? */
export function isComplete(
  { bytes, ended }: { readonly bytes: Uint8Array; readonly ended: boolean },
  input: Exclude<Input, undefined>,
): boolean {
  return bytes.length <= mostBytes && (ended || isWhole[input](bytes));
}

/**
 * Reads a request from stdin: not to its end, which some callers never send, but to the request's own.
 * @param first What was read before.
 * @throws what `chunks` throws
 */
export async function readInput(
  chunks: AsyncIterable<Uint8Array>,
  input: Exclude<Input, undefined>,
  first: Uint8Array = new Uint8Array(),
): Promise<ReadInput> {
  const iterator = chunks[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), longestMs);
  });
  let bytes = first;
  try {
    while (!isWhole[input](bytes)) {
      const next = await Promise.race([iterator.next(), late]);
      if (next === 'late') return { ok: false, why: `it did not end within ${longestMs / 1000} s` };
      if (next.done === true) return { ok: true, bytes };
      bytes = joined(bytes, next.value);
      if (bytes.length > mostBytes) {
        void iterator.return?.();
        return { ok: false, why: `it is longer than ${mostBytes} bytes` };
      }
    }
    void iterator.return?.();
    return { ok: true, bytes };
  } finally {
    clearTimeout(timer);
  }
}

/** @throws Failure `request_unusable` */
export function inputBytes(format: string, read: ReadInput): Uint8Array {
  if (read.ok) return read.bytes;
  throw requestUnusable(format, read.why);
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
