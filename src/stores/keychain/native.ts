import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { Failure } from '../../core/failure.js';
import { within } from '../../core/time.js';
import { homeFolder, statePaths } from '../paths.js';
import { ensurePrivateFolder, readIfThere } from '../private-file.js';
import { runProgram } from '../run-program.js';
import { pathsIn, removeFile, replaceFile } from '../state/safe-file.js';
import { storeFailed, storeLocked, storeTimeout, storeUnavailable } from './failures.js';
import type { Items, KeychainOptions } from './items.js';
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

function failed(cause: unknown, problem: 'no_package' | 'failed' = 'failed'): ItemResponse {
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
function singleExecutable(): Pick<Sea, 'getRawAsset'> | undefined {
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

/**
 * Items of macOS' Keychain and Windows' Credential Manager, by the native package. A call of it cannot be cancelled: on
 * macOS, which may prompt at any request, each is made in a process that can be killed. After one time-out every further
 * request fails at once.
 */
export class NativeItems implements Items {
  readonly #options: KeychainOptions;
  readonly #platform: 'darwin' | 'win32';
  #gaveUp: Failure | undefined;

  constructor(options: KeychainOptions, platform: 'darwin' | 'win32') {
    this.#options = options;
    this.#platform = platform;
  }

  async open(): Promise<void> {
    if (this.#gaveUp !== undefined) throw this.#gaveUp;
    if (this.#platform === 'darwin') await this.#perform({ operation: 'unlock', account: 'postern-unlock' });
  }

  async get(account: string): Promise<string | undefined> {
    const text = await this.#perform({ operation: 'read', account });
    return typeof text === 'string' ? text : undefined;
  }

  async set(account: string, text: string): Promise<void> {
    await this.#perform({ operation: 'write', account, text });
  }

  async delete(account: string): Promise<boolean> {
    return (await this.#perform({ operation: 'remove', account })) === true;
  }

  async #perform(request: ItemRequest): Promise<string | boolean | null> {
    if (this.#gaveUp !== undefined) throw this.#gaveUp;
    const { clock, limits, env } = this.#options;
    const limitMs = limits.storeSeconds * 1_000;
    const over = new AbortController();
    const response =
      this.#platform === 'win32' ? performItemRequest(request) : requestInChild(request, env, over.signal);
    try {
      const came = await within(clock, limitMs, response);
      if (came?.ok === true) return came.value;
      if (came !== undefined) throw this.#failure(request, came);
      this.#gaveUp = storeTimeout(this.#platform, request.operation, limitMs);
      throw this.#gaveUp;
    } finally {
      over.abort();
    }
  }

  #failure({ operation }: ItemRequest, { problem, message }: Extract<ItemResponse, { readonly ok: false }>): Failure {
    const cause = new Error(message);
    if (problem === 'no_package') return storeUnavailable('no_package', this.#platform, cause);
    const trouble = this.#platform === 'darwin' ? macosTrouble(message) : undefined;
    if (trouble === 'no_collection') return storeUnavailable(trouble, 'darwin', cause);
    if (trouble !== undefined) return storeLocked('darwin', trouble === 'denied' ? trouble : undefined);
    return storeFailed(operation, cause);
  }
}

/** Security.framework's results by their text (SecCopyErrorMessageString) or, where it has none, their number. */
const macosMessages: readonly (readonly [pattern: RegExp, trouble: MacosTrouble])[] = [
  [/interaction is (?:not allowed|required)|-253(?:08|15)\b/i, 'locked'],
  [/user canceled|passphrase you entered is not correct|-128\b|-25293\b/i, 'denied'],
  [/keychain could not be found|no keychain is available|-25(?:291|294|307)\b/i, 'no_collection'],
];

/** `locked`: it may not show its prompt (SSH, a background job). `denied`: a person said no. */
type MacosTrouble = 'locked' | 'denied' | 'no_collection';

/** What the macOS Keychain's refusal means, by the message that the package passes on; undefined for any other. */
export function macosTrouble(message: string): MacosTrouble | undefined {
  return macosMessages.find(([pattern]) => pattern.test(message))?.[1];
}

/** The first word of the command line by which the executable becomes the process for one use of the keychain. */
const keychainWord = '__keychain';

/**
 * Performs one request in a child process, which is killed when `signal` is aborted. Request and response pass through
 * pipes: no secret is in its arguments or environment.
 * @throws the signal's reason
 */
export async function requestInChild(
  request: ItemRequest,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<ItemResponse> {
  const isSingle = singleExecutable() !== undefined;
  const end = await runProgram({
    command: [process.execPath, isSingle ? keychainWord : join(import.meta.dirname, 'keychain-child.js')],
    // NODE_OPTIONS, NODE_DEBUG and the like could load code into a process that has secrets, or log them.
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !/^NODE_/i.test(name))),
    folder: '/',
    input: { text: `${JSON.stringify(request)}\n`, upTo: 'first-line' }, // the end of its stdin is its own
    output: ['stdout'],
    signal,
  });
  if (end.kind === 'not_started') return failed(end.error);
  if (end.kind !== 'ended') return failed('its helper process said far too much');
  const [line = ''] = end.stdout.split('\n');
  if (line === '') return failed(`its helper process ended (${end.code ?? 'killed'})`);
  try {
    return JSON.parse(line) as ItemResponse;
  } catch {
    return failed('its helper process gave no answer'); // system libraries may print there
  }
}
