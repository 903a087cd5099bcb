import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** Seals a text with AES-256-GCM under a fresh nonce, bound to `name`: nonce, text and tag in base64url. */
export function seal(key: Uint8Array, name: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(name));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
}

/** The text that was sealed with this key under this name; undefined for anything else. */
export function unseal(key: Uint8Array, name: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== sealed) {
    return undefined;
  }
  const nonce = bytes.subarray(0, nonceBytes);
  const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(name));
  cipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([cipher.update(bytes.subarray(nonceBytes, -tagBytes)), cipher.final()]).toString();
  } catch {
    return undefined; // the tag is not that of key, nonce, name and text
  }
}
