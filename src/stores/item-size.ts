import { storeTooLarge } from './failures.js';

/** Bytes of a value in a keychain or a sealed file; no credential has more. */
const maxValueBytes = 65_536;

/** @throws Failure `store_too_large` */
export function refuseTooLarge(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxValueBytes) throw storeTooLarge(bytes, maxValueBytes);
}
