import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { asObject, type JsonObject, parseObject } from '../../core/text/json.js';
import { seal, unseal } from '../../stores/seal.js';
import type { EngineEntry, SharedEngine } from '../engine/redis.js';
import { sharedItemNewer, sharedItemsApart, sharedKeyWrong } from '../failures.js';

/** What a fleet's items are sealed with. `refresh` is not on a machine that only reads. */
export interface SharedKeys {
  readonly access: Buffer;
  readonly refresh: Buffer | undefined;
  /** Makes names of items out of logins: a reader of the engine cannot guess which server one is for. */
  readonly names: Buffer;
}

/** HKDF (RFC 5869) over the bytes of both key files. */
export function sharedKeysOf(readers: Uint8Array, refreshers: Uint8Array | undefined): SharedKeys {
  const derive = (bytes: Uint8Array, use: string) =>
    Buffer.from(hkdfSync('sha256', bytes, '', `postern shared ${use} 1`, 32));
  return {
    access: derive(readers, 'access'),
    names: derive(readers, 'names'),
    refresh: refreshers && derive(refreshers, 'refresh'),
  };
}

/** The parts of one login in the engine. */
export type Part = 'access' | 'refresh' | 'turn';

export const allParts: readonly Part[] = ['access', 'refresh', 'turn'];

/** What runners read: all of the credential but what `hidden` names, and what the index tells of it. */
export interface AccessItem {
  /** Of one write of both items: they belong together. */
  readonly pair: string;
  readonly generation: number;
  readonly credential: JsonObject;
  readonly record?: JsonObject | undefined;
}

/** What refreshers alone read. */
export interface RefreshItem {
  readonly pair: string;
  /** `digestOf` the half that runners read: their key is not enough to change where a refresh token goes. */
  readonly of: string;
  /** The last refresh gave no other refresh token: this one works more than once. */
  readonly isReusable: boolean;
  readonly hidden: JsonObject;
}

/** Whose turn it is to refresh. */
export interface TurnItem {
  readonly nonce: string;
  /** Of the items whose refresh token it is. */
  readonly pair: string;
  /** A machine and a process, for people. */
  readonly by: string;
  /** When the refresh token was sent, by the clock of who sent it, in milliseconds since 1970; null: it was not. */
  readonly sentAt: number | null;
}

/**
 * Members of a credential that runners do not get: they use a token, and get none. The key that a token is bound to
 * (RFC 9449) they have: without it the token is of no use, and without the refresh token it gets no other.
 */
const hiddenMembers = ['refreshToken', 'clientSecret', 'assertion'];

const format = 1;

export function newNonce(): string {
  return randomBytes(15).toString('base64url');
}

/** Names and seals the parts of logins in one namespace. */
export class Items {
  readonly #keys: SharedKeys;
  readonly #prefix: string;
  /** What the names of all items begin with that runners read. */
  readonly readable: string;

  constructor(keys: SharedKeys, namespace: string) {
    this.#keys = keys;
    this.#prefix = `postern/${namespace}/`;
    this.readable = `${this.#prefix}access/`;
  }

  get opensRefresh(): boolean {
    return this.#keys.refresh !== undefined;
  }

  /**
   * The part comes first, so that the rules of an engine can be for all items that runners read; the braces keep what is
   * of one login in one slot of a Redis cluster.
   */
  nameOf(key: string, part: Part): string {
    return `${this.#prefix}${part}/{${this.hashOf(key)}}/item`;
  }

  hashOf(key: string): string {
    return createHmac('sha256', this.#keys.names).update(key).digest('hex');
  }

  /** @param name Of the part, which the sealed value is bound to. */
  seal(name: string, item: object): Uint8Array {
    const sealed = seal(this.#keyFor(name), boundTo(name), JSON.stringify(item));
    return Buffer.concat([Buffer.of(format), sealed]);
  }

  /** Undefined for what was not sealed under this name with our key. `newer`: a later release wrote it. */
  open(name: string, value: Uint8Array): JsonObject | 'newer' | undefined {
    if (value[0] !== format) return value[0] !== undefined && value[0] > format ? 'newer' : undefined;
    const text = unseal(this.#keyFor(name), boundTo(name), value.subarray(1));
    return text === undefined ? undefined : parseObject(text, { maxDepth: 10 });
  }

  #keyFor(name: string): Buffer {
    if (name.startsWith(this.readable)) return this.#keys.access;
    if (this.#keys.refresh === undefined) throw new TypeError('a machine that only reads has no key for this');
    return this.#keys.refresh;
  }
}

/** Of what one write has put for runners; the index record beside it (`record`) may change. */
export function digestOf({ pair, generation, credential }: AccessItem): string {
  return createHash('sha256')
    .update(JSON.stringify([pair, generation, credential]))
    .digest('base64url');
}

function boundTo(name: string): string {
  return `postern shared ${format} ${name}`;
}

/** The two halves of a credential's text; undefined for what is none: a client's secret, a key. */
export function halvesOf(text: string): { readonly credential: JsonObject; readonly hidden: JsonObject } | undefined {
  const item = parseObject(text, { maxDepth: 8 });
  if (item === undefined || asObject(item['binding']) === undefined) return undefined;
  const entries = Object.entries(item);
  return {
    // Left in their order: both halves together give the same text again.
    credential: Object.fromEntries(entries.map(([name, value]) => [name, hiddenMembers.includes(name) ? null : value])),
    hidden: Object.fromEntries(entries.filter(([name]) => hiddenMembers.includes(name))),
  };
}

/** The whole text of both halves. */
export function wholeOf(credential: JsonObject, hidden: JsonObject): string {
  const entries = Object.entries(credential);
  return JSON.stringify(Object.fromEntries(entries.map(([name, value]) => [name, hidden[name] ?? value])));
}

/** What a machine has that sees one half alone; `why` says why nothing can be refreshed here. */
export function readersHalf(credential: JsonObject, why: string): string {
  const hasMore = hiddenMembers.some((name) => credential[name] === null);
  const shown = Object.entries(credential).filter(([name, value]) => value !== null || !hiddenMembers.includes(name));
  return JSON.stringify({ ...Object.fromEntries(shown), ...(hasMore ? { refreshedElsewhere: why } : {}) });
}

/**
 * The same credential for a clock that is behind that of the machine which got the token: obtained now at the latest,
 * and with no more than its whole life from then on.
 */
export function byOurClock(credential: JsonObject, now: number): JsonObject {
  const { obtainedAt, expiresAt } = credential;
  const ahead = typeof obtainedAt === 'number' ? obtainedAt - now : 0;
  if (ahead <= 0) return credential;
  return { ...credential, obtainedAt: now, expiresAt: typeof expiresAt === 'number' ? expiresAt - ahead : null };
}

/** What is there of one login. `refresh`: undefined on a machine without its key. */
export interface Look {
  readonly entries: Readonly<Partial<Record<Part, EngineEntry>>>;
  readonly access: AccessItem | undefined;
  readonly refresh: RefreshItem | undefined;
  readonly turn: TurnItem | undefined;
}

/**
 * One consistent look at some parts of a login.
 * @throws Failure of the engine, `store_key_wrong`, `credential_corrupt`, `credential_newer`
 */
export async function lookAt(
  { engine, items }: { readonly engine: SharedEngine; readonly items: Items },
  key: string,
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<Look> {
  const names = parts.map((part) => items.nameOf(key, part));
  const found = await engine.read(names, signal);
  const entries: Look['entries'] = Object.fromEntries(
    parts.flatMap((part, at) => (found[at] === undefined ? [] : [[part, found[at]]])),
  );
  const opened = <Item>(part: Part, valid: (item: JsonObject) => Item | undefined): Item | undefined => {
    const entry = entries[part];
    if (entry === undefined) return undefined;
    const item = items.open(items.nameOf(key, part), entry.value);
    if (item === 'newer') throw sharedItemNewer(engine.label);
    if (item === undefined) throw sharedKeyWrong(engine.label, part === 'access' ? 'readers' : 'refreshers');
    const made = valid(item);
    if (made === undefined) throw sharedItemsApart(engine.label);
    return made;
  };
  return {
    entries,
    access: opened('access', accessItem),
    refresh: opened('refresh', refreshItem),
    turn: opened('turn', turnItem),
  };
}

export function accessItem(item: JsonObject): AccessItem | undefined {
  const { pair, generation, record } = item;
  const credential = asObject(item['credential']);
  if (typeof pair !== 'string' || typeof generation !== 'number' || credential === undefined) return undefined;
  return { pair, generation, credential, record: asObject(record) };
}

export function refreshItem(item: JsonObject): RefreshItem | undefined {
  const { pair, of, isReusable } = item;
  const hidden = asObject(item['hidden']);
  if (typeof pair !== 'string' || typeof of !== 'string' || hidden === undefined) return undefined;
  return { pair, of, isReusable: isReusable === true, hidden };
}

export function turnItem({ nonce, pair, by, sentAt }: JsonObject): TurnItem | undefined {
  const isWhole = typeof nonce === 'string' && typeof pair === 'string' && typeof by === 'string';
  return isWhole && (sentAt === null || typeof sentAt === 'number') ? { nonce, pair, by, sentAt } : undefined;
}
