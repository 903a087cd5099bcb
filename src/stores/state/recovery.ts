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
import { nonceBytes, seal, unseal } from '../seal.js';
import { ensurePrivateFolder, readIfThere, whenFree } from './private-file.js';
import { identityIn, ownIdentity, type ProcessIdentity, stateOf } from './process-identity.js';
import { newFile, pathsIn, removeFile, synced, syncFolder } from './safe-file.js';

/** A credential of 64 KiB, sealed and in base64, with room to spare. */
const maxBytes = 262_144;

/** A new credential may be longer than the one it follows on, and is sealed and in base64. */
const spareBytes = 8_192;

/** What a sealed text is: the response to a refresh, or who has begun one. One never opens as the other. */
type Kind = 'recovery' | 'refresh';

/**
 * Sealed files in `directory`: AES-256-GCM, the key by HKDF-SHA-256 (RFC 5869) from the refresh token that the store
 * still holds, a fresh salt and nonce for each, the credential's own key authenticated with it, so that no file can
 * stand in for another. `<key>.sealed` holds the response to a refresh until the store has it; while one is under way,
 * `<key>.<number>.begun` says which process has begun it.
 */
export function createRecovery({
  directory,
  identify = ownIdentity,
}: {
  readonly directory: string;
  readonly identify?: () => ProcessIdentity;
}): Recovery {
  const pathOf = (key: string) => recoveryPath(directory, key);
  const notesOf = async (key: string): Promise<readonly string[]> => {
    const base = join(directory, `${key}.`);
    return (await pathsIn(directory)).filter((path) => path.startsWith(base) && path.endsWith('.begun'));
  };
  const removeNotes = async (key: string): Promise<void> => {
    for (const path of await notesOf(key)) await removeFile(path);
  };
  return {
    begin: async (key, { bytes, spent }) => {
      await removeNotes(key);
      // The key is derived before anything is asked for: once the response is here, two short calls are to be enough.
      const sealWith = spent && sealer(key, spent);
      const who = sealWith?.('refresh', JSON.stringify(identify())) ?? '';
      // Each note has a name of its own, so that no process writes into another's. Spaces keep room on the disk for the response.
      const note = join(directory, `${key}.${randomBytes(8).toString('hex')}.begun`);
      const file = await openNote(note, who.padEnd(2 * bytes + spareBytes));
      let kept: Promise<void> | undefined;
      return {
        keep: (value) => {
          if (sealWith === undefined) return undefined;
          kept = keepIn(file, note, pathOf(key), sealWith('recovery', value.reveal()));
          return kept;
        },
        // Once: a number that was closed may be another file's by now.
        [Symbol.asyncDispose]: once(async () => {
          await kept?.catch(ignoreFailure);
          await closeAndRemove(file, note);
        }),
      };
    },
    isWaiting: async (key) => existsSync(pathOf(key)),
    find: async (key, spent) => {
      const file = readIfThere(pathOf(key), maxBytes);
      const text = file && opened(file.bytes, 'recovery', key, spent);
      return text === undefined ? undefined : new Secret(text);
    },
    begunElsewhere: async (key, spent) => {
      for (const path of await notesOf(key)) {
        const file = readIfThere(path, maxBytes);
        const who = file && opened(file.bytes, 'refresh', key, spent);
        if (file && who !== undefined && mayGoOn(who, identify(), file.modifiedAt)) return { since: file.modifiedAt };
      }
      return undefined;
    },
    forget: async (key) => {
      await removeFile(pathOf(key));
      await removeNotes(key); // of a process that was killed
    },
  };
}

/**
 * Is the process that has begun a refresh another one, and not known to be dead? Where the system does not say when a
 * process began (all but Linux), the number may be a newer one's by now; but of this machine's nobody loses the lock, which
 * the caller has, before its end.
 */
function mayGoOn(who: string, us: ProcessIdentity, writtenAt: number): boolean {
  const by = identityIn(parseObject(who));
  if (by === undefined || JSON.stringify(by) === JSON.stringify(us)) return false;
  return (by.started !== '' || by.system !== us.system) && stateOf(by, us, writtenAt) !== 'dead';
}

function sealer(key: string, spent: Secret): (kind: Kind, text: string) => string {
  const salt = randomBytes(32);
  const sealingKey = keyFrom(spent, salt);
  return (kind, text) => {
    const sealed = seal(sealingKey, nameOf(kind, key), text);
    return JSON.stringify({
      version: 1,
      salt: salt.toString('base64'),
      nonce: sealed.toString('base64', 0, nonceBytes),
      sealed: sealed.toString('base64', nonceBytes),
    });
  };
}

/** The sealed text; undefined when it was changed, cut off, or sealed with another secret: of no use then. */
function opened(bytes: Uint8Array, kind: Kind, key: string, spent: Secret): string | undefined {
  const object = parseObject(bytes);
  if (object?.['version'] !== 1) return undefined;
  const bytesOf = (name: string) => Buffer.from(stringField(object, name) ?? '', 'base64');
  const sealed = Buffer.concat([bytesOf('nonce'), bytesOf('sealed')]);
  return unseal(keyFrom(spent, bytesOf('salt')), nameOf(kind, key), sealed);
}

function keyFrom(spent: Secret, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', spent.reveal(), salt, 'postern recovery 1', 32));
}

function nameOf(kind: Kind, key: string): string {
  return `postern ${kind} 1 ${key}`;
}

/** @throws Failure `state_unsafe`, `state_unwritable` */
async function openNote(path: string, text: string): Promise<number> {
  await ensurePrivateFolder(dirname(path));
  try {
    const file = openSync(path, newFile, 0o600);
    try {
      fchmodSync(file, 0o600); // whatever the umask
      writeFileSync(file, text);
      return file;
    } catch (cause) {
      await closeAndRemove(file, path).catch(() => undefined);
      throw cause;
    }
  } catch (cause) {
    throw stateUnwritable(path, cause);
  }
}

async function closeAndRemove(file: number, path: string): Promise<void> {
  closeSync(file);
  await removeFile(path);
}

/**
 * Puts the response in place of the note, and makes it the file at `path`. What SIGKILL interrupts is done when this returns, what a
 * power cut interrupts once that resolves.
 * @throws Failure `state_unwritable`, at once or later
 */
function keepIn(file: number, note: string, path: string, text: string): Promise<void> {
  try {
    ftruncateSync(file, writeSync(file, text, 0));
    whenFree(() => renameSync(note, path));
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
