import { join } from 'node:path';
import type { Limits } from '../../core/limits.js';
import type { Clock, Terminal } from '../../core/ports.js';
import type { LoginRecord, SharedKind } from '../../core/records.js';
import { Secret } from '../../core/secret.js';
import { asObject, type JsonObject, type JsonValue, parseObject } from '../../core/text/json.js';
import { endsOf } from '../../core/time.js';
import { refuseTooLarge } from '../../stores/failures.js';
import { isLoginRecord } from '../../stores/index/index-schema.js';
import { readKeyFile, storeKey } from '../../stores/key-file.js';
import type { SecretStore } from '../../stores/ports.js';
import { readIfThere } from '../../stores/private-file.js';
import { ownIdentity } from '../../stores/state/process-identity.js';
import { removeFile, replacePrivateFile } from '../../stores/state/safe-file.js';
import { parseEngineAddress } from '../engine/address.js';
import type { SharedEngine } from '../engine/redis.js';
import { refreshKeyMissing, sharedKeyMissing, sharedKeysAlike, sharedKeysMixed, storeReadOnly } from '../failures.js';
import type { FleetPorts } from '../ports.js';
import { type AccessItem, byOurClock, Items, readersHalf, sharedKeysOf } from './items.js';
import { type SeenWrites, SharedLogins } from './shared-logins.js';

export interface SharedWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly folder: () => string;
  /** `storeReadOnly`: this machine never writes there. */
  readonly settings: () => Promise<{ readonly limits: Limits; readonly storeReadOnly?: boolean | undefined }>;
  readonly openEngine: FleetPorts['openEngine'];
}

/** The store that several machines share. @throws Failure as `openEngine` */
export async function openShared(world: SharedWorld, kind: SharedKind): Promise<SharedStore> {
  const [engine, { limits, storeReadOnly }] = await Promise.all([world.openEngine(kind), world.settings()]);
  const leaseMs = limits.leaseSeconds * 1000;
  return new SharedStore({
    ...world,
    leaseMs,
    isReadOnly: storeReadOnly === true,
    stateFolder: world.folder(),
    kind,
    engine,
  });
}

interface SharedStoreOptions extends Pick<SharedWorld, 'env' | 'clock' | 'terminal' | 'signal'> {
  readonly kind: SharedKind;
  readonly engine: SharedEngine;
  readonly stateFolder: string;
  readonly leaseMs: number;
  readonly isReadOnly: boolean;
}

/** The second key: of what gets new tokens. */
const refreshKey = { variable: 'POSTERN_STORE_REFRESH_KEY_FILE', credential: 'postern-store-refresh-key' } as const;

interface Opened {
  readonly items: Items;
  readonly logins: SharedLogins;
}

/** A store that several machines share. Both halves of each login are sealed before they leave this machine. */
export class SharedStore implements SecretStore {
  readonly kind: SharedKind;
  readonly #options: SharedStoreOptions;
  #opened: Opened | undefined;

  constructor(options: SharedStoreOptions) {
    this.kind = options.kind;
    this.#options = options;
  }

  /** Opens the keys, asks the engine, and says what of its settings can lose a write. */
  async ready(): Promise<void> {
    const { engine, signal, terminal } = this.#options;
    this.#refuseReadOnly();
    const { items, logins } = this.#open();
    if (!items.opensRefresh) throw refreshKeyMissing(engine.label);
    await logins.records(signal);
    for (const risk of await engine.durability(signal)) terminal.tell(`Warning: ${risk}`);
  }

  async read(key: string): Promise<Secret | undefined> {
    const { signal, clock, isReadOnly } = this.#options;
    const { logins } = this.#open();
    const found = await logins.read(key, signal);
    if (found === undefined) return await this.#other(key);
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
    const { logins } = this.#open();
    await logins.write(key, text, this.#options.signal);
  }

  async remove(key: string): Promise<boolean> {
    this.#refuseReadOnly();
    return await this.#open().logins.remove(key, this.#options.signal);
  }

  async refreshTurn(key: string, wait: Parameters<NonNullable<SecretStore['refreshTurn']>>[1]) {
    this.#refuseReadOnly();
    const { logins, items } = this.#open();
    if (!items.opensRefresh) throw refreshKeyMissing(this.#options.engine.label);
    return await logins.begin(key, wait);
  }

  async publish(login: LoginRecord): Promise<void> {
    const { isReadOnly, signal } = this.#options;
    if (isReadOnly) return;
    const { logins, items } = this.#open();
    if (items.opensRefresh) await logins.publish(login.key, publishedOf(login), signal);
  }

  async records(): Promise<readonly LoginRecord[]> {
    const found = await this.#open().logins.records(this.#options.signal);
    return found.flatMap((item) => recordIn(item, this.kind) ?? []);
  }

  /** @throws Failure of the key files */
  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    const { engine, kind, stateFolder, isReadOnly } = this.#options;
    const readers = readKeyFile(this.#options, storeKey);
    const refreshers = isReadOnly ? undefined : readKeyFile(this.#options, refreshKey);
    if (readers === undefined) throw refreshers === undefined ? sharedKeyMissing(engine.label) : sharedKeysMixed();
    if (refreshers !== undefined && readers.equals(refreshers)) throw sharedKeysAlike();
    const items = new Items(sharedKeysOf(readers, refreshers), parseEngineAddress(kind).namespace);
    const seen = seenWritesIn(join(stateFolder, 'shared'));
    this.#opened = { items, logins: new SharedLogins({ ...this.#options, items, by: describeSelf(), seen }) };
    return this.#opened;
  }

  #refuseReadOnly(): void {
    if (this.#options.isReadOnly) throw storeReadOnly(this.#options.engine.label);
  }

  /** What is no login; or nothing at all, where the key is the fleet's. */
  async #other(key: string): Promise<Secret | undefined> {
    const { signal } = this.#options;
    const { logins } = this.#open();
    const text = await logins.readOther(key, signal);
    if (text !== undefined) return new Secret(text);
    await logins.records(signal); // throws where nothing opens: then it is not gone, the key is another one
    return undefined;
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
  ...['store', 'leftIn', 'preferred', 'browser', 'refusedToken', 'dead', 'refusal', 'gone'],
  ...['scopes', 'expiresAt', 'obtainedAt', 'refreshExpiresAt', 'authorizationExpiresAt', 'generation'],
]);

/** What is published of a login to other machines. */
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

/** Which write of each login was the newest, in a file for each: an engine that goes back in time is found out. */
function seenWritesIn(folder: string): SeenWrites {
  const pathOf = (login: string) => join(folder, `${login}.newest`);
  const newest = (login: string): number => {
    try {
      return Number(readIfThere(pathOf(login), 64)?.bytes.toString() ?? 0);
    } catch {
      return 0;
    }
  };
  return {
    newest,
    learn: async (login, revision) => {
      if (newest(login) >= revision) return;
      try {
        await replacePrivateFile(pathOf(login), `${revision}`);
      } catch {
        // on a full disk the engine is believed
      }
    },
    forget: async (login) => void (await removeFile(pathOf(login)).catch(() => false)),
  };
}
