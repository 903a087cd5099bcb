import { join } from 'node:path';
import { isFailure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import type { LoginRecord, SharedKind } from '../../core/records.js';
import { Secret } from '../../core/secret.js';
import { type JsonObject, parseObject } from '../../core/text/json.js';
import { parseEngineAddress } from '../engines/address.js';
import type { SharedEngine } from '../engines/engine.js';
import { refuseTooLarge } from '../failures.js';
import type { SecretStore } from '../ports.js';
import { readKeyFile, storeKey } from '../sealed-files/key-source.js';
import { ensurePrivateFolder } from '../state/private-file.js';
import { ownIdentity } from '../state/process-identity.js';
import { refreshKeyMissing, sharedKeyMissing, sharedKeysAlike, storeReadOnly } from './failures.js';
import { byOurClock, Items, readersHalf, sharedKeysOf } from './items.js';
import { OutageMemory, settledNotesIn } from './local-traces.js';
import { accessItem } from './looks.js';
import { publishedOf, recordIn } from './published.js';
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
  /** Tells the person. */
  readonly notify: (line: string) => void;
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

class SharedStore implements SecretStore {
  readonly kind: SharedKind;
  readonly #options: SharedStoreOptions;
  readonly #memory: OutageMemory;
  #opened: { readonly items: Items; readonly logins: SharedLogins } | undefined;
  #hasWarned = false;

  constructor(options: SharedStoreOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#memory = new OutageMemory(join(options.stateFolder, 'shared'));
  }

  /** Opens the keys, asks the engine, and says what of its settings can lose a write. */
  async ready(): Promise<void> {
    const { engine, signal, notify } = this.#options;
    this.#refuseReadOnly();
    const { items, logins } = this.#open();
    if (!items.opensRefresh) throw refreshKeyMissing(engine.label);
    await logins.records(signal);
    for (const risk of await engine.durability(signal)) notify(`Warning: ${risk}`);
  }

  async read(key: string): Promise<Secret | undefined> {
    const { signal, clock, isReadOnly } = this.#options;
    const { logins, items } = this.#open();
    const name = items.hashOf(key);
    let found: ReadLogin | undefined;
    try {
      found = await logins.read(key, signal);
    } catch (error) {
      const kept = isFailure(error, 'store_unavailable') ? this.#remembered(key) : undefined;
      if (kept === undefined || !isFailure(error)) throw error;
      if (!this.#hasWarned) this.#options.notify(`Warning: ${error.message} The token read before is used meanwhile.`);
      this.#hasWarned = true;
      return new Secret(readersHalf(kept, 'engine-away'));
    }
    if (found === undefined) return await this.#other(key, name);
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
    await this.#open().logins.write(key, text, this.#options.signal);
  }

  async remove(key: string): Promise<boolean> {
    this.#refuseReadOnly();
    const { logins, items } = this.#open();
    const was = await logins.remove(key, this.#options.signal);
    await this.#memory.forget(items.hashOf(key));
    return was;
  }

  async begin(key: string, wait: Parameters<NonNullable<SecretStore['begin']>>[1]) {
    this.#refuseReadOnly();
    const { logins, items } = this.#open();
    if (!items.opensRefresh) throw refreshKeyMissing(this.#options.engine.label);
    await ensurePrivateFolder(join(this.#options.stateFolder, 'shared'));
    return await logins.begin(key, wait);
  }

  async publish(login: LoginRecord): Promise<void> {
    const { isReadOnly, signal } = this.#options;
    if (isReadOnly) return;
    const { items, logins } = this.#open();
    if (items.opensRefresh) await logins.publish(login.key, publishedOf(login), signal);
  }

  async records(): Promise<readonly LoginRecord[]> {
    const { logins } = this.#open();
    const found = await logins.records(this.#options.signal);
    return found.flatMap((item) => recordIn(item, this.kind) ?? []);
  }

  #open() {
    this.#opened ??= this.#openNow();
    return this.#opened;
  }

  #openNow() {
    const { engine, kind, clock, leaseMs, signal, stateFolder, isReadOnly } = this.#options;
    const readers = readKeyFile(this.#options, storeKey);
    if (readers === undefined) throw sharedKeyMissing(engine.label);
    const refreshers = isReadOnly ? undefined : readKeyFile(this.#options, refreshKey);
    if (refreshers !== undefined && readers.equals(refreshers)) throw sharedKeysAlike();
    const items = new Items(sharedKeysOf(readers, refreshers), parseEngineAddress(kind).namespace);
    const by = describeSelf();
    const settled = settledNotesIn(join(stateFolder, 'shared'));
    return { items, logins: new SharedLogins({ engine, items, clock, by, leaseMs, signal, settled }) };
  }

  #refuseReadOnly(): void {
    if (this.#options.isReadOnly) throw storeReadOnly(this.#options.engine.label);
  }

  /** What is no login; or nothing at all, where the key is the fleet's. */
  async #other(key: string, name: string): Promise<Secret | undefined> {
    const { logins } = this.#open();
    const { signal } = this.#options;
    const text = await logins.readOther(key, signal);
    if (text !== undefined) return new Secret(text);
    await this.#memory.forget(name);
    await logins.records(signal); // throws where nothing opens: then it is not gone, the key is another one
    return undefined;
  }

  /** What was read in the last minutes, where its token lives. */
  #remembered(key: string): JsonObject | undefined {
    const { items } = this.#open();
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
