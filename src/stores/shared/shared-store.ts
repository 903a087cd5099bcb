import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isFailure } from '../../core/failure.js';
import type { Clock, Terminal } from '../../core/ports.js';
import type { LoginRecord, SharedKind } from '../../core/records.js';
import { Secret } from '../../core/secret.js';
import { asObject, type JsonObject, type JsonValue, parseObject } from '../../core/text/json.js';
import { endsOf } from '../../core/time.js';
import { parseEngineAddress } from '../engines/address.js';
import type { SharedEngine } from '../engines/engine.js';
import { isLoginRecord } from '../index/index-schema.js';
import { refuseTooLarge } from '../item-size.js';
import type { SecretStore } from '../ports.js';
import { readKeyFile, storeKey } from '../sealed-files/key-source.js';
import type { Stretch } from '../sealed-files/sealed-file.js';
import { ensurePrivateFolder } from '../state/private-file.js';
import { ownIdentity } from '../state/process-identity.js';
import { refreshKeyMissing, sharedKeyMissing, sharedKeysAlike, sharedKeysMixed, storeReadOnly } from './failures.js';
import { type AccessItem, byOurClock, Items, readersHalf, type SharedKeys, sharedKeysOf } from './items.js';
import { OutageMemory, settledNotesIn, spentTokensIn } from './local-traces.js';
import { accessItem } from './looks.js';
import { type ReadLogin, SharedLogins } from './shared-logins.js';

export interface SharedStoreOptions {
  readonly kind: SharedKind;
  readonly engine: SharedEngine;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly stateFolder: string;
  readonly leaseMs: number;
  /** This machine never writes there. */
  readonly isReadOnly: boolean;
  readonly terminal: Terminal;
  /** For passphrases. */
  readonly stretch: Stretch;
  readonly signal: AbortSignal;
}

/** The second key: of what gets new tokens. */
const refreshKey = { variable: 'POSTERN_STORE_REFRESH_KEY_FILE', credential: 'postern-store-refresh-key' } as const;

/**
 * A store that several machines share. Both halves of each login are sealed before they leave this machine. What was
 * read last is kept here, sealed, for the minutes in which the engine may be away.
 */
export function createSharedStore(options: SharedStoreOptions): SecretStore {
  return new SharedStore(options);
}

interface Opened {
  readonly items: Items;
  readonly logins: SharedLogins;
}

class SharedStore implements SecretStore {
  readonly kind: SharedKind;
  readonly #options: SharedStoreOptions;
  readonly #memory: OutageMemory;
  #opening: Promise<Opened | undefined> | undefined;
  #hasWarned = false;

  constructor(options: SharedStoreOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#memory = new OutageMemory(join(options.stateFolder, 'shared'));
  }

  /** Opens the keys, asks the engine, and says what of its settings can lose a write. */
  async ready(): Promise<void> {
    const { engine, signal, terminal } = this.#options;
    this.#refuseReadOnly();
    const { items, logins } = await this.#openForWriting();
    if (!items.opensRefresh) throw refreshKeyMissing(engine.label);
    await logins.records(signal);
    for (const risk of await engine.durability(signal)) terminal.tell(`Warning: ${risk}`);
  }

  async read(key: string): Promise<Secret | undefined> {
    const { signal, clock, isReadOnly, terminal } = this.#options;
    const opened = await this.#open();
    if (opened === undefined) return undefined;
    const { logins, items } = opened;
    const name = items.hashOf(key);
    let found: ReadLogin | undefined;
    try {
      found = await logins.read(key, signal);
    } catch (error) {
      const kept = isFailure(error, 'store_unavailable') ? this.#remembered(items, key) : undefined;
      if (kept === undefined || !isFailure(error)) throw error;
      if (!this.#hasWarned) terminal.tell(`Warning: ${error.message} The token read before is used meanwhile.`);
      this.#hasWarned = true;
      return new Secret(readersHalf(kept, 'engine-away'));
    }
    if (found === undefined) return await this.#other(opened, key, name);
    await this.#memory.keep(name, found.sealed, clock.now());
    const credential = byOurClock(found.access.credential, clock.now());
    if (found.text === undefined || isReadOnly) {
      return new Secret(readersHalf(credential, isReadOnly ? 'read-only' : 'no-key'));
    }
    if (credential === found.access.credential) return new Secret(found.text);
    const { obtainedAt, expiresAt } = credential;
    return new Secret(JSON.stringify({ ...parseObject(found.text, { maxDepth: 8 }), obtainedAt, expiresAt }));
  }

  async write(key: string, value: Secret): Promise<void> {
    this.#refuseReadOnly();
    const text = value.reveal();
    refuseTooLarge(text);
    const { logins } = await this.#openForWriting();
    await logins.write(key, text, this.#options.signal);
  }

  async remove(key: string): Promise<boolean> {
    this.#refuseReadOnly();
    const opened = await this.#open();
    if (opened === undefined) return false;
    const { logins, items } = opened;
    const was = await logins.remove(key, this.#options.signal);
    await this.#memory.forget(items.hashOf(key));
    return was;
  }

  async begin(key: string, wait: Parameters<NonNullable<SecretStore['begin']>>[1]) {
    this.#refuseReadOnly();
    const { logins, items } = await this.#openForWriting();
    if (!items.opensRefresh) throw refreshKeyMissing(this.#options.engine.label);
    await ensurePrivateFolder(join(this.#options.stateFolder, 'shared'));
    return await logins.begin(key, wait);
  }

  async publish(login: LoginRecord): Promise<void> {
    const { isReadOnly, signal } = this.#options;
    if (isReadOnly) return;
    const opened = await this.#open();
    if (opened?.items.opensRefresh === true) await opened.logins.publish(login.key, publishedOf(login), signal);
  }

  async records(): Promise<readonly LoginRecord[]> {
    const opened = await this.#open();
    const found = (await opened?.logins.records(this.#options.signal)) ?? [];
    return found.flatMap((item) => recordIn(item, this.kind) ?? []);
  }

  /** Undefined where passphrases are to be chosen, and nobody has. */
  async #open(begins = false): Promise<Opened | undefined> {
    this.#opening ??= this.#openNow(begins);
    try {
      const opened = await this.#opening;
      if (opened === undefined) this.#opening = undefined;
      return opened;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #openForWriting(): Promise<Opened> {
    const opened = (await this.#open(true)) ?? (await this.#open(true)); // the first may have been begun by a reader
    if (opened === undefined) throw new TypeError('not opened');
    return opened;
  }

  async #openNow(begins: boolean): Promise<Opened | undefined> {
    const { engine, kind, clock, leaseMs, signal, stateFolder } = this.#options;
    const { namespace } = parseEngineAddress(kind);
    const keys = this.#keysOfFiles() ?? (await this.#keysOfPassphrases(namespace, begins));
    if (keys === undefined) return undefined;
    const items = new Items(keys, namespace);
    const by = describeSelf();
    const folder = join(stateFolder, 'shared');
    const traces = { settled: settledNotesIn(folder), spent: spentTokensIn(folder) };
    return { items, logins: new SharedLogins({ engine, items, clock, by, leaseMs, signal, ...traces }) };
  }

  #keysOfFiles(): SharedKeys | undefined {
    const { isReadOnly } = this.#options;
    const readers = readKeyFile(this.#options, storeKey);
    const refreshers = isReadOnly ? undefined : readKeyFile(this.#options, refreshKey);
    if (readers === undefined && refreshers !== undefined) throw sharedKeysMixed();
    if (readers === undefined) return undefined;
    if (refreshers !== undefined && readers.equals(refreshers)) throw sharedKeysAlike();
    return sharedKeysOf(readers, refreshers);
  }

  async #keysOfPassphrases(namespace: string, begins: boolean): Promise<SharedKeys | undefined> {
    const { engine, terminal, kind, stateFolder } = this.#options;
    if (!terminal.interactive) throw sharedKeyMissing(engine.label);
    const { keysOfPassphrases } = await import('./passphrases.js');
    const file = `${createHash('sha256').update(kind).digest('hex')}.salts`;
    const saltsPath = join(stateFolder, 'shared', file);
    return await keysOfPassphrases({ ...this.#options, namespace, saltsPath }, begins);
  }

  #refuseReadOnly(): void {
    if (this.#options.isReadOnly) throw storeReadOnly(this.#options.engine.label);
  }

  /** What is no login; or nothing at all, where the key is the fleet's. */
  async #other({ logins }: Opened, key: string, name: string): Promise<Secret | undefined> {
    const { signal } = this.#options;
    const text = await logins.readOther(key, signal);
    if (text !== undefined) return new Secret(text);
    await this.#memory.forget(name);
    await logins.records(signal); // throws where nothing opens: then it is not gone, the key is another one
    return undefined;
  }

  /** What was read in the last minutes, where its token lives. */
  #remembered(items: Items, key: string): JsonObject | undefined {
    const now = this.#options.clock.now();
    const sealed = this.#memory.find(items.hashOf(key), now);
    const item = sealed && items.open(items.nameOf(key, 'access'), sealed);
    const access = typeof item === 'object' ? accessItem(item) : undefined;
    const credential = access && byOurClock(access.credential, now);
    const expiresAt = credential?.['expiresAt'];
    return typeof expiresAt === 'number' && expiresAt <= now ? undefined : credential;
  }
}

/** For people on other machines: `build-7, process 1234`. */
function describeSelf(): string {
  const { pid, system } = ownIdentity();
  const host = system.slice(system.indexOf('@') + 1).split(' ')[0] ?? '';
  return `${host === '' ? 'a machine without a name' : host}, process ${pid}`;
}

/** What of a record is this machine's alone, or stands in the credential. */
const notPublished: ReadonlySet<string> = new Set([
  ...[
    'store',
    'leftIn',
    'preferred',
    'browser',
    'refusedToken',
    'requestFingerprint',
    'dead',
    'refusal',
    'gone',
    'shared',
  ],
  ...['scopes', 'expiresAt', 'obtainedAt', 'refreshExpiresAt', 'authorizationExpiresAt', 'generation'],
]);

/** What other machines are told of a login. */
function publishedOf(login: LoginRecord): JsonObject {
  const entries = Object.entries(login).filter(([name, value]) => !notPublished.has(name) && value !== undefined);
  return Object.fromEntries(entries as [string, JsonValue][]);
}

/** The record that a machine makes of it; undefined for none: its login was never published, or is no whole one. */
function recordIn({ record, credential }: AccessItem, store: SharedKind): LoginRecord | undefined {
  if (record === undefined) return undefined;
  const { scopes, expiresAt, obtainedAt, generation, ended } = credential;
  const binding = asObject(credential['binding']) ?? {};
  const dead = ended === true ? { dead: true } : {};
  const made = {
    ...record,
    ...binding,
    ...endsOf(credential as object),
    scopes,
    expiresAt,
    obtainedAt,
    generation,
    store,
    ...dead,
  };
  return isLoginRecord(made) ? made : undefined;
}
