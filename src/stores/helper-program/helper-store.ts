import { Failure } from '../../core/failure.js';
import type { StoreKind } from '../../core/records.js';
import { Secret } from '../../core/secret.js';
import { asObject, type JsonObject, parseJson } from '../../core/text/json.js';
import { helperFailed, helperMissing, helperResponseWrong, helperTimeout, storeTooLarge } from '../failures.js';
import type { SecretStore } from '../ports.js';
import { findProgram, type ProgramEnd, runProgram, safePath } from '../programs.js';

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
export function createHelperStore(options: HelperStoreOptions): SecretStore {
  const helper = new Helper(options);
  const read = async (key: string): Promise<Secret | undefined> => {
    const end = await helper.run('get', serverUrl(key));
    if (end.code !== 0) {
      if (end.stdout.trim() === notFound) return undefined;
      throw helper.failed('get', end.stdout, '');
    }
    return helper.secretIn(end.stdout, serverUrl(key));
  };
  const write = async (key: string, text: string): Promise<void> => {
    const item = { ServerURL: serverUrl(key), Username: userName, Secret: text };
    const line = JSON.stringify(item);
    if (Buffer.byteLength(line) > maxLineBytes) throw storeTooLarge(Buffer.byteLength(line), maxLineBytes);
    const end = await helper.run('store', line);
    if (end.code !== 0) throw helper.failed('store', end.stdout, text);
  };
  return {
    kind: options.kind,
    ready: () => tryOut(helper, { read, write }),
    read,
    write: async (key, value) => {
      const text = value.reveal();
      const before = await read(key).catch(ignoreFailure);
      await write(key, text);
      try {
        if ((await read(key))?.reveal() !== text) throw helper.responseWrong('it was changed on the way');
      } catch (error) {
        // The older item may be all that there is: a sealed answer to a refresh is opened by it.
        if (before !== undefined) await write(key, before.reveal()).catch(ignoreFailure);
        throw error;
      }
    },
    remove: async (key) => {
      if ((await read(key)) === undefined) return false;
      const end = await helper.run('erase', serverUrl(key));
      if (end.code !== 0) throw helper.failed('erase', end.stdout, '');
      return true;
    },
  };
}

function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
  return undefined;
}

/**
 * Keeps a word and takes it away again: a helper that finds no item may still be unable to keep one, or to read it (a GPG
 * key that is locked), and a person is to hear of it before the browser opens. Another process may take it away first.
 */
async function tryOut(
  helper: Helper,
  { read, write }: { read: SecretStore['read']; write(key: string, text: string): Promise<void> },
): Promise<void> {
  const key = '0'.repeat(64);
  const word = 'kept to see whether this store works; may be removed';
  await write(key, word);
  const kept = await read(key);
  if (kept !== undefined && kept.reveal() !== word) throw helper.responseWrong('it was changed on the way');
  if (kept === undefined) return;
  const end = await helper.run('erase', serverUrl(key));
  // What cannot be taken away could never be logged out of.
  if (end.code !== 0 && (await read(key)) !== undefined) throw helper.failed('erase', end.stdout, '');
}

/** A host of its own for each key (RFC 2606), since some helpers take items of one host for one another. */
function serverUrl(key: string): string {
  return `https://${key.slice(0, 32)}.${key.slice(32)}.postern.invalid`;
}

class Helper {
  readonly #options: HelperStoreOptions;
  readonly #program: string;
  #timedOut = false;

  constructor(options: HelperStoreOptions) {
    this.#options = options;
    this.#program = `docker-credential-${options.kind.slice('helper:'.length)}`;
  }

  async run(operation: 'get' | 'store' | 'erase', text: string): Promise<Extract<ProgramEnd, { kind: 'ended' }>> {
    const { env, signal, limitMs } = this.#options;
    const folders = safePath(env['PATH'], process.cwd());
    const path = findProgram(this.#program, folders, ['.exe']);
    if (path === undefined) throw helperMissing(this.#program);
    if (this.#timedOut) throw helperTimeout(this.#program, limitMs);
    const environment = helperEnvironment(env, folders);
    const end = await runProgram({
      command: [path, operation],
      env: environment,
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
        this.#timedOut = true;
        throw helperTimeout(this.#program, limitMs);
      case 'too_much':
        throw this.responseWrong('it is far too long');
      case 'not_started':
        throw helperFailed(this.#program, operation, 'it could not be started');
    }
  }

  /** Shows what it said, unless that could be a secret. */
  failed(operation: string, stdout: string, secret: string): Error {
    const said = stdout.trim().slice(0, 200);
    const pieces = Array.from({ length: Math.max(0, said.length - 11) }, (_, at) => said.slice(at, at + 12));
    const tells = said.includes('{') || pieces.some((piece) => secret.includes(piece));
    return helperFailed(this.#program, operation, tells ? '' : said);
  }

  responseWrong(why: string): Error {
    return helperResponseWrong(this.#program, why);
  }

  /** Undefined: nothing is kept there; docker-credential-pass says so with an item in which all is empty. */
  secretIn(stdout: string, url: string): Secret | undefined {
    const parsed = parseJson(new TextEncoder().encode(stdout), { maxDepth: 4, maxKeys: 20 });
    const object: JsonObject | undefined = parsed.ok ? asObject(parsed.value) : undefined;
    const secret = object?.['Secret'];
    if (secret === '' && object?.['Username'] === '') return undefined;
    if (typeof secret !== 'string' || object?.['Username'] !== userName) throw this.responseWrong('it is no item');
    const named = object['ServerURL'];
    if (named !== undefined && named !== url) throw this.responseWrong('it is another item');
    return new Secret(secret);
  }
}

/** What is ours, and what changes other programs of Node.js, stays behind. */
function helperEnvironment(env: HelperStoreOptions['env'], folders: readonly string[]): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(?:POSTERN_|NODE_)/.test(name));
  return { ...Object.fromEntries(kept), PATH: folders.join(process.platform === 'win32' ? ';' : ':') };
}
