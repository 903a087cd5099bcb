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
import { parseObject } from '../../core/text/json.js';
import { stateUnwritable } from '../failures.js';
import { recoveryPath } from '../paths.js';
import { ensurePrivateFolder, readIfThere, whenFree } from '../private-file.js';
import { sealText, unsealText } from '../seal.js';
import { identityIn, ownIdentity, stateOf } from './process-identity.js';
import { newFile, pathsIn, removeFile, synced, syncFolder } from './safe-file.js';

/** A credential of 64 KiB, sealed and in base64, with room to spare. */
const maxBytes = 262_144;

const mark = 'postern-recovery 1 ';

/** A new credential may be longer than the one it follows on, and is sealed and in base64. */
const spareBytes = 8_192;

/**
 * Sealed files in `directory`: AES-256-GCM, the key by HKDF-SHA-256 (RFC 5869) from the refresh token that the store
 * still holds, a fresh salt and nonce for each, the credential's own key authenticated with it, so that no file can
 * stand in for another. `<key>.sealed` holds the response to a refresh until the store has it; `<key>.<number>.begun` is the
 * room on the disk that a refresh in progress has for it, and says which process that is.
 */
export function createRecovery({ directory }: { readonly directory: string }) {
  const pathOf = (key: string) => recoveryPath(directory, key);
  const roomsOf = async (key: string): Promise<readonly string[]> => {
    const base = join(directory, `${key}.`);
    return (await pathsIn(directory)).filter((path) => path.startsWith(base) && path.endsWith('.begun'));
  };
  /** Of processes that were killed. */
  const removeRooms = async (key: string): Promise<void> => {
    for (const path of await roomsOf(key)) await removeFile(path);
  };
  return {
    /**
     * Begins a refresh, with room for a response of about `bytes` bytes. The caller has the lock of that key.
     * @param refresh.spent The refresh token that is about to be sent; undefined where none is, and nothing can be kept.
     * @throws Failure `state_unsafe`, `state_unwritable`
     */
    begin: async (key: string, refresh: { readonly bytes: number; readonly spent: Secret | undefined }) => {
      const { bytes, spent } = refresh;
      await removeRooms(key);
      // The key is derived before anything is sent: once the response is here, two short calls have to be enough.
      const sealWith = spent && sealer(key, spent);
      // A name of its own, so that no process writes into another's file.
      const room = join(directory, `${key}.${randomBytes(8).toString('hex')}.begun`);
      const who = sealWith?.('refresh', JSON.stringify(ownIdentity())) ?? '';
      const file = await openRoom(room, who.padEnd(2 * bytes + spareBytes));
      let kept: Promise<void> | undefined;
      return {
        /**
         * Keeps the response: SIGKILL takes nothing back from now on, a power cut once this resolves. Undefined where nothing
         * was spent. @throws Failure `state_unwritable`, at once or later
         */
        keep: (value: Secret): Promise<void> | undefined => {
          if (sealWith === undefined) return undefined;
          kept = keepIn(file, room, pathOf(key), sealWith('recovery', value.reveal()));
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
    /** Is there a response that waits, whatever opens it? */
    isWaiting: async (key: string) => existsSync(pathOf(key)),
    /** Undefined when there is none, or when this secret does not open it. @throws Failure `state_unsafe` */
    find: async (key: string, spent: Secret) => {
      const file = readIfThere(pathOf(key), maxBytes);
      const text = file && opened(file.bytes, 'recovery', key, spent);
      return text === undefined ? undefined : new Secret(text);
    },
    /**
     * When another process, which is not known to be dead, began a refresh with this refresh token, in milliseconds since 1970:
     * it lost the lock, which the caller has, and may go on. @throws Failure `state_unsafe`
     */
    begunElsewhere: async (key: string, spent: Secret) => {
      for (const path of await roomsOf(key)) {
        const file = readIfThere(path, maxBytes);
        const who = file && opened(file.bytes, 'refresh', key, spent);
        if (file && who !== undefined && mayGoOn(who, file.stats.mtimeMs)) return { since: file.stats.mtimeMs };
      }
      return undefined;
    },
    /** @throws Failure `state_unwritable` */
    forget: async (key: string) => {
      await removeFile(pathOf(key));
      await removeRooms(key);
    },
  };
}

/** Keeps the response to a refresh until the store has it, sealed with the refresh token that the store still holds. */
export type Recovery = ReturnType<typeof createRecovery>;

/** A refresh in progress; its room is given back at the end. */
export type BegunRefresh = Awaited<ReturnType<Recovery['begin']>>;

/**
 * Where the system does not say when a process began (all but Linux), the number may be a newer one's by now; but of this
 * machine's processes none loses the lock before its end.
 */
function mayGoOn(who: string, writtenAt: number): boolean {
  const [by, us] = [identityIn(parseObject(who)), ownIdentity()];
  if (by === undefined || JSON.stringify(by) === JSON.stringify(us)) return false;
  return (by.started !== '' || by.system !== us.system) && stateOf(by, us, writtenAt) !== 'dead';
}

/** What a sealed text is: the response to a refresh, or which process began one. One never opens as the other. */
type Kind = 'recovery' | 'refresh';

function sealer(key: string, spent: Secret): (kind: Kind, text: string) => string {
  const salt = randomBytes(32);
  const sealingKey = keyFrom(spent, salt);
  return (kind, text) => `${mark}${salt.toString('base64url')} ${sealText(sealingKey, nameOf(kind, key), text)}`;
}

/** The sealed text; undefined when it was changed, cut off, or sealed with another secret: of no use then. */
function opened(bytes: Buffer, kind: Kind, key: string, spent: Secret): string | undefined {
  const [salt = '', sealed = ''] = bytes.toString('latin1', mark.length).trimEnd().split(' ');
  const isOurs = bytes.toString('latin1', 0, mark.length) === mark;
  return isOurs ? unsealText(keyFrom(spent, Buffer.from(salt, 'base64url')), nameOf(kind, key), sealed) : undefined;
}

function keyFrom(spent: Secret, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', spent.reveal(), salt, 'postern recovery 1', 32));
}

function nameOf(kind: Kind, key: string): string {
  return `postern ${kind} 1 ${key}`;
}

/** An open file with that text, padded with spaces: a full disk refuses it before anything is spent. @throws Failure `state_unsafe`, `state_unwritable` */
async function openRoom(path: string, text: string): Promise<number> {
  await ensurePrivateFolder(dirname(path));
  let file: number | undefined;
  try {
    file = openSync(path, newFile, 0o600);
    fchmodSync(file, 0o600); // whatever the umask
    writeFileSync(file, text);
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
