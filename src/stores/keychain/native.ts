import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { homeFolder, statePaths } from '../paths.js';
import { ensurePrivateFolder, readIfThere } from '../state/private-file.js';
import { pathsIn, removeFile, replaceFile } from '../state/safe-file.js';
import { service } from './secret-service-calls.js';

/** One use of one item. `unlock` writes an item of no worth and removes it: the keychain asks for its password. */
export interface ItemRequest {
  readonly operation: 'read' | 'write' | 'remove' | 'unlock';
  readonly account: string;
  /** For `write`. */
  readonly text?: string;
}

/** `value`: the text that was read, or whether something was removed; null when there was no item. */
export type ItemResponse =
  | { readonly ok: true; readonly value: string | boolean | null }
  | { readonly ok: false; readonly problem: 'no_package' | 'failed'; readonly message: string };

/** Performs one request with the platform's keychain. It may hang and cannot be cancelled. Never rejects. */
export async function performItemRequest(request: ItemRequest): Promise<ItemResponse> {
  let native: Native;
  try {
    native = await loadNative(process.env);
  } catch (error) {
    return failed(error, 'no_package');
  }
  try {
    const entry = new native.AsyncEntry(service, request.account, entryOptions);
    switch (request.operation) {
      case 'read':
        return { ok: true, value: (await entry.getPassword()) ?? null };
      case 'remove':
        return { ok: true, value: await entry.deleteCredential() };
      case 'write':
        await entry.setPassword(request.text ?? '');
        return { ok: true, value: true };
      case 'unlock':
        await entry.setPassword('unlocked');
        return { ok: true, value: await entry.deleteCredential() };
    }
  } catch (error) {
    return failed(error);
  }
}

export function failed(cause: unknown, problem: 'no_package' | 'failed' = 'failed'): ItemResponse {
  return { ok: false, problem, message: cause instanceof Error ? cause.message : String(cause) };
}

/** The part used of `@napi-rs/keyring` (in package.json under the name of the archived `keytar`). */
interface Native {
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options: object,
  ) => {
    getPassword(): Promise<string | null>;
    setPassword(password: string): Promise<void>;
    deleteCredential(): Promise<boolean>;
  };
}

/** On Linux, where only tests use it, it would write to the kernel's keyring whenever there is trouble. */
const entryOptions = { linux: { store: 'secret-service' } };

const abis: Readonly<Record<string, readonly string[]>> = { linux: ['-gnu', '-musl', '-gnueabihf'], win32: ['-msvc'] };

/** What the native part is called on a system, each C library's own; none elsewhere. */
export function nativePackages(platform: string, arch: string): readonly string[] {
  return (abis[platform] ?? ['']).map((abi) => `@napi-rs/keyring-${platform}-${arch}${abi}`);
}

/**
 * Loads the package's native part directly: `import` of its loader takes twenty times as long.
 * @throws what `require` throws when there is none for this platform
 */
async function loadNative(env: Readonly<Record<string, string | undefined>>): Promise<Native> {
  const executable = singleExecutable();
  const require = createRequire(import.meta.filename);
  if (executable !== undefined) return require(await unpackedNative(executable, env)) as Native;
  for (const name of nativePackages(process.platform, process.arch)) {
    try {
      return require(name) as Native;
    } catch {
      // not there, or made for another C library
    }
  }
  return require('keytar') as Native; // installed beside another copy, or for a rarer system
}

/** The part used of Node's `node:sea`: files that lie in the executable itself. */
interface Sea {
  readonly isSea: () => boolean;
  readonly getRawAsset: (name: string) => ArrayBuffer;
}

/** What lies in this executable; undefined where the program is started by a Node.js beside it. */
export function singleExecutable(): Pick<Sea, 'getRawAsset'> | undefined {
  const sea = process.getBuiltinModule('node:sea') as Sea;
  return sea.isSea() ? sea : undefined;
}

/**
 * The system loads compiled code from files alone. It is written into a folder of the state folder, which is closed to
 * others: in a folder for temporary files, or beside an executable that was downloaded, others may write. What is there
 * is loaded only if it is, byte for byte, what lies in the executable.
 * @returns An absolute path. @throws Failure `path_refused`, `state_unsafe`, or the system's error
 */
async function unpackedNative(
  executable: Pick<Sea, 'getRawAsset'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const bytes = new Uint8Array(executable.getRawAsset('keychain.node'));
  const here = statePaths(env, process.platform, homeFolder());
  await ensurePrivateFolder(here.state);
  const folder = join(here.state, 'native');
  await ensurePrivateFolder(folder);
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex')}.node`);
  const found = readIfThere(path, bytes.byteLength + 1)?.bytes;
  if (found !== undefined && Buffer.compare(found, bytes) === 0) return path;
  await replaceFile(path, bytes, 0o600, `${path}.${process.pid}`);
  for (const other of await pathsIn(folder)) {
    // Of an older version; on Windows one that is in use stays.
    if (other.endsWith('.node') && basename(other) !== basename(path)) await removeFile(other).catch(() => undefined);
  }
  return path;
}
