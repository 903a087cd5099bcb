/**
 * SHA-256 over the parts, each with its length before it, so that no two lists of parts give the same bytes. The
 * bytes are UTF-16 code units: UTF-8 would make one of all lone surrogates. Hex, 64 characters: nothing of the parts
 * can be read from it.
 */
export async function hashOfParts(parts: readonly string[]): Promise<string> {
  const length = parts.reduce((sum, part) => sum + 4 + 2 * part.length, 0);
  const bytes = new DataView(new ArrayBuffer(length));
  let at = 0;
  for (const part of parts) {
    bytes.setUint32(at, part.length);
    at += 4;
    for (let index = 0; index < part.length; index += 1) {
      bytes.setUint16(at, part.charCodeAt(index));
      at += 2;
    }
  }
  const digest = await globalThis.crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
