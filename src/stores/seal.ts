import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';

const tag = { authTagLength: 16 };

const nonceBytes = 12;

/** Seals a text with AES-256-GCM (NIST SP 800-38D) under a fresh nonce, bound to `name`: nonce, sealed text, tag. */
export function seal(key: Uint8Array, name: string, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, tag).setAAD(Buffer.from(name));
  return Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
}

/** The text that was sealed with this key under this name; undefined for anything else. */
export function unseal(key: Uint8Array, name: string, sealed: Uint8Array): string | undefined {
  if (sealed.length < nonceBytes + tag.authTagLength) return undefined;
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), tag)
    .setAAD(Buffer.from(name))
    .setAuthTag(sealed.subarray(-tag.authTagLength));
  try {
    const text = opening.update(sealed.subarray(nonceBytes, -tag.authTagLength));
    return Buffer.concat([text, opening.final()]).toString();
  } catch {
    return undefined; // the tag is not that of key, nonce, name and text
  }
}

/** Seals a text with this key under this name, in base64url. */
export function sealText(key: Uint8Array, name: string, text: string): string {
  return seal(key, name, text).toString('base64url');
}

/** The text that was sealed with this key under this name; undefined for anything else. */
export function unsealText(key: Uint8Array, name: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  return bytes.toString('base64url') === sealed ? unseal(key, name, bytes) : undefined;
}
