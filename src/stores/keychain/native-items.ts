import { join } from 'node:path';
import type { Failure } from '../../core/failure.js';
import { within } from '../../core/time.js';
import { runProgram } from '../run-program.js';
import { storeFailed, storeLocked, storeTimeout, storeUnavailable } from './failures.js';
import type { Items, KeychainOptions } from './items.js';
import { failed, type ItemRequest, type ItemResponse, performItemRequest, singleExecutable } from './native.js';

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
