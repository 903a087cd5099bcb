import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { constants, existsSync, ftruncateSync, renameSync, writeSync } from 'node:fs';
import { open, readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../core/failure.js';
import { Secret } from '../../core/secret.js';
import { asObject, parseJson, stringField } from '../../core/text/json.js';
import { recoveryPath } from '../paths.js';
import type { Recovery } from '../ports.js';
import { stateUnsafe, stateUnwritable } from '../state-failures.js';
import { ensurePrivateFolder, readPrivateFile } from './private-file.js';
import { identityIn, ownIdentity, stateOf } from './process-identity.js';
import { syncFolder } from './safe-file.js';

/** A credential of 64 KiB, sealed and in base64, with room to spare. */
const maxBytes = 262_144;

/** A new credential may be longer than the one it follows on, and is sealed and in base64. */
const spareBytes = 8_192;

const tagBytes = 16;

const saltBytes = 32;

const nonceBytes = 12;

/** What a sealed text is: the answer to a refresh, or who has begun one. One never opens as the other. */
type Kind = 'recovery' | 'refresh';

/**
 * Sealed files in `directory`: AES-256-GCM (NIST SP 800-38D), the key by HKDF-SHA-256 (RFC 5869) from the refresh token
 * that the store still holds, a fresh salt and nonce for each, the credential's own key authenticated with it, so that no
 * file can stand in for another. `<key>.sealed` holds the answer to a refresh until the store has it; while one is under
 * way, `<key>.<number>.room` keeps its place on the disk and says who has begun it.
 */
export function createRecovery(options: { readonly directory: string }): Recovery {
  const baseOf = (key: string): string => join(options.directory, key);
  const pathOf = (key: string): string => recoveryPath(options.directory, key);
  const removeRooms = async (key: string): Promise<void> => {
    for (const path of await roomsOf(baseOf(key))) await removeFile(path);
  };
  return {
    begin: async (key, { bytes, spent }) => {
      await removeRooms(key);
      const salt = randomBytes(saltBytes);
      // Derived before anything is asked for, as all that can be done then is not to be done once the answer is here.
      const sealing = spent && { salt, key: keyFrom(spent, salt) };
      const who = sealing === undefined ? '' : seal(sealing, labelOf('refresh', key), whoWeAre());
      const room = await takeRoom(baseOf(key), who, 2 * bytes + spareBytes);
      return {
        keep: async (value) => {
          if (sealing === undefined) return false;
          await room.become(pathOf(key), seal(sealing, labelOf('recovery', key), value.reveal()));
          return true;
        },
        [Symbol.asyncDispose]: () => room[Symbol.asyncDispose](),
      };
    },
    isWaiting: async (key) => existsSync(pathOf(key)),
    find: async (key, spent) => {
      const path = pathOf(key);
      const file = readPrivateFile(path, maxBytes);
      if (!file.ok && file.problem !== 'absent') throw stateUnsafe(path, file.why);
      const text = file.ok ? opened(file.bytes, labelOf('recovery', key), spent) : undefined;
      return text === undefined ? undefined : new Secret(text);
    },
    begunElsewhere: async (key, spent) => {
      for (const path of await roomsOf(baseOf(key))) {
        const file = readPrivateFile(path, maxBytes);
        if (!file.ok) {
          if (file.problem === 'absent') continue;
          throw stateUnsafe(path, file.why);
        }
        const who = opened(file.bytes, labelOf('refresh', key), spent);
        if (who !== undefined && mayGoOn(who, file.modifiedAt)) return { since: file.modifiedAt };
      }
      return undefined;
    },
    forget: async (key) => {
      await removeFile(pathOf(key));
      await removeRooms(key); // of a process that was killed
    },
  };
}

function whoWeAre(): string {
  return JSON.stringify(ownIdentity());
}

/** Is the process that has begun a refresh another one, and not known to be dead? */
function mayGoOn(who: string, writtenAt: number): boolean {
  const parsed = parseJson(Buffer.from(who));
  const by = identityIn(parsed.ok ? asObject(parsed.value) : undefined);
  const us = ownIdentity();
  return by !== undefined && JSON.stringify(by) !== JSON.stringify(us) && stateOf(by, us, writtenAt) !== 'dead';
}

function seal(sealing: { readonly salt: Buffer; readonly key: Buffer }, label: Buffer, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', sealing.key, nonce).setAAD(label);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const parts = { salt: sealing.salt, nonce, sealed };
  const texts = Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64')]);
  return JSON.stringify({ version: 1, ...Object.fromEntries(texts) });
}

/**
 * The sealed text in a file's first line; undefined when it was changed, cut off, or sealed with another secret: of no use
 * to anybody then.
 */
function opened(bytes: Uint8Array, label: Buffer, spent: Secret): string | undefined {
  const end = bytes.indexOf(0x0a);
  const parsed = parseJson(end < 0 ? bytes : bytes.subarray(0, end));
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (object?.['version'] !== 1) return undefined;
  const [salt, nonce, sealed] = ['salt', 'nonce', 'sealed'].map((name) =>
    Buffer.from(stringField(object, name) ?? '', 'base64'),
  );
  const isWhole = salt?.length === saltBytes && nonce?.length === nonceBytes;
  if (!isWhole || sealed === undefined || sealed.length <= tagBytes) return undefined;
  try {
    const textEnd = sealed.length - tagBytes;
    const options = { authTagLength: tagBytes };
    const decipher = createDecipheriv('aes-256-gcm', keyFrom(spent, salt), nonce, options)
      .setAAD(label)
      .setAuthTag(sealed.subarray(textEnd));
    const text = decipher.update(sealed.subarray(0, textEnd), undefined, 'utf8');
    return `${text}${decipher.final('utf8')}`;
  } catch {
    return undefined;
  }
}

function keyFrom(spent: Secret, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', spent.reveal(), salt, 'postern recovery 1', 32));
}

function labelOf(kind: Kind, key: string): Buffer {
  return Buffer.from(`postern ${kind} 1 ${key}`);
}

/** Room on the disk, taken before it is needed. It is given back at the end. */
export interface Room extends AsyncDisposable {
  /**
   * Puts a text into it and makes it the file at `path`, in place of one that is there. What SIGKILL interrupts is done
   * after two short calls; what a power cut interrupts, once this resolves. @throws Failure `state_unwritable`
   */
  become(path: string, text: string): Promise<void>;
}

const suffix = '.room';

/**
 * Takes room by a file of `bytes` random bytes (which no file system can store in less) after the line `head`. Not
 * synced: file systems account for what is written at once.
 * @param base The path without its end: each room has a name of its own, so that nobody writes into another's.
 * @throws Failure `state_unsafe`, `state_unwritable`
 */
export async function takeRoom(base: string, head: string, bytes: number): Promise<Room> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
  const path = `${base}.${randomBytes(8).toString('hex')}${suffix}`;
  await ensurePrivateFolder(dirname(path));
  try {
    const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    const room: Room = {
      become: async (to, text) => {
        try {
          const length = writeSync(file.fd, text, 0);
          ftruncateSync(file.fd, length);
          renameSync(path, to);
          await file.sync();
          await syncFolder(dirname(to));
        } catch (cause) {
          throw stateUnwritable(to, cause);
        }
      },
      [Symbol.asyncDispose]: async () => {
        await file.close();
        await removeFile(path);
      },
    };
    try {
      await file.chmod(0o600); // whatever the umask
      await file.writeFile(Buffer.concat([Buffer.from(`${head}\n`), randomBytes(bytes)]));
      return room;
    } catch (cause) {
      await Promise.resolve(room[Symbol.asyncDispose]()).catch(() => undefined);
      throw cause;
    }
  } catch (cause) {
    throw cause instanceof Failure ? cause : stateUnwritable(path, cause);
  }
}

/** The paths of the rooms that were taken with this base and not given back. */
export async function roomsOf(base: string): Promise<readonly string[]> {
  const folder = dirname(base);
  try {
    const paths = (await readdir(folder)).map((name) => join(folder, name));
    return paths.filter((path) => path.startsWith(`${base}.`) && path.endsWith(suffix));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw stateUnwritable(folder, cause);
  }
}

/** @throws Failure `state_unwritable` */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw stateUnwritable(path, cause);
  });
}
