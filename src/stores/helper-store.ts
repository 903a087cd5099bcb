import { delimiter } from 'node:path';
import { type Failure, ignoreFailure } from '../core/failure.js';
import type { StoreKind } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { parseObject } from '../core/text/json.js';
import { helperFailed, helperMissing, helperResponseWrong, helperTimeout, storeTooLarge } from './failures.js';
import type { SecretStore } from './ports.js';
import { findProgram, type ProgramEnd, runProgram, safePath } from './run-program.js';

export interface HelperStoreOptions {
  /** `helper:<name>`. */
  readonly kind: StoreKind;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** Helpers read one line of at most 64 KiB (Go's bufio.Scanner). */
const maxLineBytes = 65_535;

/** Far more than a credential. */
const maxLength = 262_144;

const userName = 'postern';

/** The one text of the protocol that says so (docker/docker-credential-helpers, credentials/error.go). */
const notFound = 'credentials not found in native keychain';

/**
 * Secrets in a `docker-credential-<name>` program: `store`, `get` and `erase`, JSON on stdin and stdout. Each write
 * is read again, so that one that was cut is noticed; what was there before is put back then.
 */
export class HelperStore implements SecretStore {
  readonly kind: StoreKind;
  readonly #options: HelperStoreOptions;
  readonly #program: string;
  #hasTimedOut = false;

  constructor(options: HelperStoreOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#program = `docker-credential-${options.kind.slice('helper:'.length)}`;
  }

  /**
   * Keeps a word and takes it away again: a helper that finds no item may still be unable to keep one, or to read it (a
   * GPG key that is locked), and a person is to hear of it before the browser opens. Another process may take it away
   * first.
   */
  async ready(): Promise<void> {
    const key = '0'.repeat(64);
    const word = 'kept to see whether this store works; may be removed';
    await this.#store(key, word);
    const kept = await this.read(key);
    if (kept === undefined) return;
    if (kept.reveal() !== word) throw helperResponseWrong(this.#program, 'it was changed on the way');
    const end = await this.#run('erase', serverUrl(key));
    // What cannot be taken away could never be logged out of.
    if (end.code !== 0 && (await this.read(key)) !== undefined) throw this.#failed('erase', end.stdout);
  }

  async read(key: string): Promise<Secret | undefined> {
    const { code, stdout } = await this.#run('get', serverUrl(key));
    if (code === 0) return this.#secretIn(stdout, serverUrl(key));
    if (stdout.trim() === notFound) return undefined;
    throw this.#failed('get', stdout);
  }

  async write(key: string, value: Secret): Promise<void> {
    const text = value.reveal();
    const before = await this.read(key).catch(ignoreFailure);
    await this.#store(key, text);
    try {
      if ((await this.read(key))?.reveal() !== text)
        throw helperResponseWrong(this.#program, 'it was changed on the way');
    } catch (error) {
      // The older item may be all that there is: the sealed response to a refresh is opened by it.
      if (before !== undefined) await this.#store(key, before.reveal()).catch(ignoreFailure);
      throw error;
    }
  }

  async remove(key: string): Promise<boolean> {
    if ((await this.read(key)) === undefined) return false;
    const end = await this.#run('erase', serverUrl(key));
    if (end.code !== 0) throw this.#failed('erase', end.stdout);
    return true;
  }

  async #store(key: string, text: string): Promise<void> {
    const line = JSON.stringify({ ServerURL: serverUrl(key), Username: userName, Secret: text });
    if (Buffer.byteLength(line) > maxLineBytes) throw storeTooLarge(Buffer.byteLength(line), maxLineBytes);
    const end = await this.#run('store', line);
    if (end.code !== 0) throw this.#failed('store', end.stdout, text);
  }

  async #run(operation: 'get' | 'store' | 'erase', text: string): Promise<Extract<ProgramEnd, { kind: 'ended' }>> {
    const { env, signal, limitMs } = this.#options;
    const folders = safePath(env['PATH'], process.cwd());
    const path = findProgram(this.#program, folders, ['.exe']);
    if (path === undefined) throw helperMissing(this.#program);
    if (this.#hasTimedOut) throw helperTimeout(this.#program, limitMs);
    const end = await runProgram({
      command: [path, operation],
      env: helperEnvironment(env, folders),
      folder: '/',
      input: { text, upTo: 'its-end' },
      output: ['stdout'], // a prompt or a progress message on its stderr is not for us
      maxLength,
      limitMs,
      signal,
    });
    switch (end.kind) {
      case 'ended':
        return end;
      case 'timeout':
        this.#hasTimedOut = true;
        throw helperTimeout(this.#program, limitMs);
      case 'too_much':
        throw helperResponseWrong(this.#program, 'it is far too long');
      case 'not_started':
        throw helperFailed(this.#program, operation, 'it could not be started');
    }
  }

  /** Shows its output, unless that could be a secret. */
  #failed(operation: string, stdout: string, secret = ''): Failure {
    const said = stdout.trim().slice(0, 200);
    const pieces = Array.from({ length: Math.max(0, said.length - 11) }, (_, at) => said.slice(at, at + 12));
    const tells = said.includes('{') || pieces.some((piece) => secret.includes(piece));
    return helperFailed(this.#program, operation, tells ? '' : said);
  }

  /** Undefined: nothing is kept there; docker-credential-pass says so with an item in which all is empty. */
  #secretIn(stdout: string, url: string): Secret | undefined {
    const object = parseObject(stdout, { maxDepth: 4, maxKeys: 20 }) ?? {};
    const { Secret: secret, Username: name, ServerURL: named = url } = object;
    if (secret === '' && name === '') return undefined;
    if (typeof secret !== 'string' || name !== userName) throw helperResponseWrong(this.#program, 'it is no item');
    if (named !== url) throw helperResponseWrong(this.#program, 'it is another item');
    return new Secret(secret);
  }
}

/** A host of its own for each key (RFC 2606), since some helpers take items of one host for one another. */
function serverUrl(key: string): string {
  return `https://${key.slice(0, 32)}.${key.slice(32)}.postern.invalid`;
}

/** What is ours, and what changes other programs of Node.js, stays behind. */
function helperEnvironment(env: HelperStoreOptions['env'], folders: readonly string[]): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(?:POSTERN_|NODE_)/.test(name));
  return { ...Object.fromEntries(kept), PATH: folders.join(delimiter) };
}
