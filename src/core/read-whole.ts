import { inputTooLarge } from './output-failures.js';
import { collectBytes } from './text/bytes.js';

/**
 * All bytes of an input.
 * @param what Its name in messages, a path or `stdin`.
 * @throws Failure `input_too_large`, or what the input throws
 */
export function readWhole(chunks: AsyncIterable<Uint8Array>, what: string, maxBytes: number): Promise<Uint8Array> {
  return collectBytes(chunks, maxBytes, () => inputTooLarge(what, maxBytes));
}
