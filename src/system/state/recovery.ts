import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { stateUnsafe } from '../../errors/state.js';
import type { Recovery } from '../../ports.js';
import { asObject, parseJson, stringField } from '../../primitives/json.js';
import { Secret } from '../../primitives/secret.js';
import { readPrivateFile } from './private-file.js';
import { giveRoom, takeRoom } from './room.js';
import { replacePrivateFile } from './safe-file.js';

/** A credential of 64 KiB, sealed and in base64, with room to spare. */
const maxBytes = 131_072;
/** A new credential may be longer than the one it follows on, and is sealed and in base64. */
const spareBytes = 8_192;
const tagBytes = 16;

/**
 * Sealed files in `directory`, one for each credential that the store would not take: AES-256-GCM (NIST SP 800-38D),
 * the key by HKDF-SHA-256 (RFC 5869) from a secret that the store still holds, a fresh salt and nonce for each, the
 * credential's own key authenticated with it, so that no file can stand in for another.
 */
export function createRecovery(options: { readonly directory: string }): Recovery {
  const pathOf = (key: string): string => join(options.directory, `${key}.sealed`);
  const roomFor = (key: string): string => join(options.directory, `${key}.room`);
  return {
    reserve: async (key, bytes) => {
      await takeRoom(roomFor(key), 2 * bytes + spareBytes);
      return { [Symbol.asyncDispose]: () => giveRoom(roomFor(key)) };
    },
    keep: async (key, value, spent) => {
      const [salt, nonce] = [randomBytes(32), randomBytes(12)];
      const cipher = createCipheriv('aes-256-gcm', keyFrom(spent, salt), nonce).setAAD(labelOf(key));
      const sealed = [cipher.update(value.reveal(), 'utf8'), cipher.final(), cipher.getAuthTag()];
      const parts = { salt, nonce, sealed: Buffer.concat(sealed) };
      const texts = Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64')]);
      await giveRoom(roomFor(key));
      await replacePrivateFile(pathOf(key), JSON.stringify({ version: 1, ...Object.fromEntries(texts) }));
    },
    find: async (key, spent) => {
      const path = pathOf(key);
      const file = readPrivateFile(path, maxBytes);
      if (file.ok) {
        return opened(file.bytes, key, spent);
      }
      if (file.problem === 'absent') {
        return undefined;
      }
      throw stateUnsafe(path, file.why);
    },
    forget: async (key) => {
      await giveRoom(pathOf(key));
      await giveRoom(roomFor(key)); // of a process that was killed
    },
  };
}

/** Undefined when it was changed, cut off, or sealed with another secret: of no use to anybody then. */
function opened(bytes: Uint8Array, key: string, spent: Secret): Secret | undefined {
  const parsed = parseJson(bytes);
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object?.['version'] !== 1) {
    return undefined;
  }
  const [salt, nonce, sealed] = ['salt', 'nonce', 'sealed'].map((name) =>
    Buffer.from(stringField(object, name) ?? '', 'base64'),
  );
  if (salt?.length !== 32 || nonce?.length !== 12 || sealed === undefined || sealed.length <= tagBytes) {
    return undefined;
  }
  try {
    const end = sealed.length - tagBytes;
    const options = { authTagLength: tagBytes };
    const decipher = createDecipheriv('aes-256-gcm', keyFrom(spent, salt), nonce, options)
      .setAAD(labelOf(key))
      .setAuthTag(sealed.subarray(end));
    return new Secret(decipher.update(sealed.subarray(0, end), undefined, 'utf8') + decipher.final('utf8'));
  } catch {
    return undefined;
  }
}

function keyFrom(spent: Secret, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', spent.reveal(), salt, 'postern recovery 1', 32));
}

function labelOf(key: string): Buffer {
  return Buffer.from(`postern recovery 1 ${key}`);
}
