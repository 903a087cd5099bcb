import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readdir, unlink } from 'node:fs/promises';
import { readPrivateFile } from '../state/private-file.js';
import { stateUnsafe, stateUnwritable } from '../state-failures.js';

/** base64 of the largest value, and what stands around it. */
const maxFileBytes = 131_072;

/** A private file's text; undefined where there is none. @throws Failure `state_unsafe` */
export function readText(path: string): string | undefined {
  const file = readPrivateFile(path, maxFileBytes);
  if (file.ok) return Buffer.from(file.bytes).toString('latin1');
  if (file.problem === 'unsafe') throw stateUnsafe(path, file.why);
  return undefined;
}

/** The names of all sealed files in a folder, which may not be there. */
export async function sealedNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.sealed'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw stateUnwritable(folder, error);
  }
}

/** Deletes a name, never what a link there leads to; false when there was none. @throws Failure `state_unwritable` */
export async function unlinked(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw stateUnwritable(path, error);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

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
  if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== sealed) return undefined;
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
