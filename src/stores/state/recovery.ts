import { hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ignoreFailure } from '../../core/failure.js';
import { once } from '../../core/lazy.js';
import { Secret } from '../../core/secret.js';
import { parseObject, stringField } from '../../core/text/json.js';
import { stateUnwritable } from '../failures.js';
import { recoveryPath } from '../paths.js';
import type { Recovery } from '../ports.js';
import { ensurePrivateFolder, readIfThere, whenFree } from '../private-file.js';
import { nonceBytes, seal, unseal } from '../seal.js';
import { newFile, pathsIn, removeFile, synced, syncFolder } from './safe-file.js';

/** A credential of 64 KiB, sealed and in base64, with room to spare. */
const maxBytes = 262_144;

/** A new credential may be longer than the one it follows on, and is sealed and in base64. */
const spareBytes = 8_192;

/**
 * Sealed files in `directory`: AES-256-GCM, the key by HKDF-SHA-256 (RFC 5869) from the refresh token that the store
 * still holds, a fresh salt and nonce for each, the credential's own key authenticated with it, so that no file can
 * stand in for another. `<key>.sealed` holds the response to a refresh until the store has it; `<key>.<number>.begun` is the
 * room on the disk that a refresh in progress has for it.
 */
export function createRecovery({ directory }: { readonly directory: string }): Recovery {
  const pathOf = (key: string) => recoveryPath(directory, key);
  /** Of processes that were killed. */
  const removeRooms = async (key: string): Promise<void> => {
    const base = join(directory, `${key}.`);
    for (const path of await pathsIn(directory)) {
      if (path.startsWith(base) && path.endsWith('.begun')) await removeFile(path);
    }
  };
  return {
    begin: async (key, { bytes, spent }) => {
      await removeRooms(key);
      // The key is derived before anything is sent: once the response is here, two short calls have to be enough.
      const sealWith = spent && sealer(key, spent);
      // A name of its own, so that no process writes into another's file.
      const room = join(directory, `${key}.${randomBytes(8).toString('hex')}.begun`);
      const file = await openRoom(room, 2 * bytes + spareBytes);
      let kept: Promise<void> | undefined;
      return {
        keep: (value) => {
          if (sealWith === undefined) return undefined;
          kept = keepIn(file, room, pathOf(key), sealWith(value.reveal()));
          return kept;
        },
        // Once: a number that was closed may be another file's by now.
        [Symbol.asyncDispose]: once(async () => {
          await kept?.catch(ignoreFailure);
          closeSync(file);
          await removeFile(room);
        }),
      };
    },
    isWaiting: async (key) => existsSync(pathOf(key)),
    find: async (key, spent) => {
      const file = readIfThere(pathOf(key), maxBytes);
      const text = file && opened(file.bytes, key, spent);
      return text === undefined ? undefined : new Secret(text);
    },
    forget: async (key) => {
      await removeFile(pathOf(key));
      await removeRooms(key);
    },
  };
}

function sealer(key: string, spent: Secret): (text: string) => string {
  const salt = randomBytes(32);
  const sealingKey = keyFrom(spent, salt);
  return (text) => {
    const sealed = seal(sealingKey, nameOf(key), text);
    return JSON.stringify({
      version: 1,
      salt: salt.toString('base64'),
      nonce: sealed.toString('base64', 0, nonceBytes),
      sealed: sealed.toString('base64', nonceBytes),
    });
  };
}

/** The sealed text; undefined when it was changed, cut off, or sealed with another secret: of no use then. */
function opened(bytes: Uint8Array, key: string, spent: Secret): string | undefined {
  const object = parseObject(bytes);
  if (object?.['version'] !== 1) return undefined;
  const bytesOf = (name: string) => Buffer.from(stringField(object, name) ?? '', 'base64');
  const sealed = Buffer.concat([bytesOf('nonce'), bytesOf('sealed')]);
  return unseal(keyFrom(spent, bytesOf('salt')), nameOf(key), sealed);
}

function keyFrom(spent: Secret, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', spent.reveal(), salt, 'postern recovery 1', 32));
}

function nameOf(key: string): string {
  return `postern recovery 1 ${key}`;
}

/** An open file of that many spaces: a full disk refuses it before anything is spent. @throws Failure `state_unsafe`, `state_unwritable` */
async function openRoom(path: string, bytes: number): Promise<number> {
  await ensurePrivateFolder(dirname(path));
  let file: number | undefined;
  try {
    file = openSync(path, newFile, 0o600);
    fchmodSync(file, 0o600); // whatever the umask
    writeFileSync(file, ' '.repeat(bytes));
    return file;
  } catch (cause) {
    if (file !== undefined) closeSync(file);
    await removeFile(path).catch(() => undefined);
    throw stateUnwritable(path, cause);
  }
}

/**
 * Puts the response into that room, and makes it the file at `path`. What SIGKILL interrupts is done when this returns,
 * what a power cut interrupts once that resolves.
 * @throws Failure `state_unwritable`, at once or later
 */
function keepIn(file: number, room: string, path: string, text: string): Promise<void> {
  try {
    ftruncateSync(file, writeSync(file, text, 0));
    whenFree(() => renameSync(room, path));
  } catch (cause) {
    throw stateUnwritable(path, cause);
  }
  return onDisk(file, path);
}

async function onDisk(file: number, path: string): Promise<void> {
  try {
    await synced(file);
    await syncFolder(dirname(path));
  } catch (cause) {
    throw stateUnwritable(path, cause);
  }
}
