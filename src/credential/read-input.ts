import { requestUnusable } from './failures.js';
import { isWholeBazelRequest, isWholeHead } from './formats/by-url.js';
import type { Input } from './formats/call.js';
import { isWholeGitRequest } from './formats/git-attributes.js';

const maxMs = 5_000;

const maxBytes = 1_048_576;

/** What came on stdin, up to the end that the format defines; or why there is none. */
export type ReadInput =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly why: string };

const isWhole: Readonly<Record<Exclude<Input, undefined>, (bytes: Uint8Array) => boolean>> = {
  git: isWholeGitRequest,
  bazel: isWholeBazelRequest,
  goauth: isWholeHead,
};

/**
 * Reads a request from stdin: not to its end, which some callers never send, but to the request's own.
 * @throws what `chunks` throws
 */
export async function readInput(
  chunks: AsyncIterable<Uint8Array>,
  input: Exclude<Input, undefined>,
): Promise<ReadInput> {
  const iterator = chunks[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), maxMs);
  });
  let bytes = new Uint8Array();
  try {
    while (!isWhole[input](bytes)) {
      const next = await Promise.race([iterator.next(), timeout]);
      if (next === 'timeout') return { ok: false, why: `it did not end within ${maxMs / 1000} s` };
      if (next.done === true) return { ok: true, bytes };
      bytes = Buffer.concat([bytes, next.value]);
      if (bytes.length > maxBytes) {
        void iterator.return?.();
        return { ok: false, why: `it is longer than ${maxBytes} bytes` };
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
