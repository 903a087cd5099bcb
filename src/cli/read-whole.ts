import { inputTooLarge } from '../errors/output.js';

/**
 * All bytes of an input.
 * @param what Its name for the person, a path or `stdin`.
 * @throws Failure `input_too_large`, or what the input throws
 */
export async function readWhole(
  chunks: AsyncIterable<Uint8Array>,
  what: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) {
      throw inputTooLarge(what, maxBytes);
    }
    parts.push(chunk);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
