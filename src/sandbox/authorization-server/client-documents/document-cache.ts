import { forgetOldest } from '../../one-time.js';

/** Times are milliseconds since the epoch. */
interface Kept {
  readonly text: string;
  readonly since: number;
  readonly until: number;
}

/** A validated document, and for how long it may be used again. */
export interface FreshDocument {
  readonly text: string;
  readonly seconds: number;
}

/** Most documents kept; the least recently used goes first. */
const maxKept = 100;

/** Most fetches under way at once; more are refused, since each can take seconds. */
const maxUnderWay = 16;

/** Milliseconds until a document that does not suit may be fetched again. */
const soonestAgain = 10_000;

/**
 * Documents by client identifier, while they are fresh. Whoever asks for one that is being fetched waits for
 * that fetch. Failures are never kept: the draft forbids it, and a repaired document must work at once.
 */
export class DocumentShelf {
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Promise<string>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Undefined when too many fetches are under way.
   * @param suits whether a kept document will do; if not, it is fetched again before its time
   * @throws what `fetch` throws
   */
  async get(
    clientId: string,
    suits: (text: string) => boolean,
    fetch: () => Promise<FreshDocument>,
  ): Promise<string | undefined> {
    const kept = this.#kept.get(clientId);
    this.#kept.delete(clientId);
    if (kept !== undefined && this.#isUsable(kept, suits)) {
      this.#kept.set(clientId, kept);
      return kept.text;
    }
    const underWay = this.#underWay.get(clientId);
    if (underWay !== undefined) return underWay;
    if (this.#underWay.size >= maxUnderWay) return undefined;
    const fetched = this.#fetch(clientId, fetch).finally(() => this.#underWay.delete(clientId));
    this.#underWay.set(clientId, fetched);
    return fetched;
  }

  #isUsable(kept: Kept, suits: (text: string) => boolean): boolean {
    const now = this.#now();
    return kept.until > now && (now < kept.since + soonestAgain || suits(kept.text));
  }

  async #fetch(clientId: string, fetch: () => Promise<FreshDocument>): Promise<string> {
    const { text, seconds } = await fetch();
    if (seconds > 0) {
      const since = this.#now();
      this.#kept.set(clientId, { text, since, until: since + seconds * 1000 });
      forgetOldest(this.#kept, maxKept);
    }
    return text;
  }
}

/** Seconds that a document is kept for at most, whatever its headers say. */
export const longestFreshness = 86_400;

/** Seconds for a document that says nothing: one login asks for it several times. */
export const unstatedFreshness = 5;

/**
 * For how many seconds a served document may be used without asking again (RFC 9111 section 4.2): `no-store`,
 * `no-cache`, `private` and `Vary: *` not at all, else `s-maxage`, `max-age` or `Expires`, less the age it had
 * already. What is said twice or cannot be read counts as stale. Never throws; 0 to 86,400.
 *
 * @param headers values by lower-case name
 */
export function freshSeconds(headers: NodeJS.Dict<string[]>, nowMs: number): number {
  const said = directivesOf(headers['cache-control'] ?? []);
  if (said.has('no-store') || said.has('no-cache') || said.has('private')) return 0;
  if ((headers['vary'] ?? []).some((value) => value.split(',').some((one) => one.trim() === '*'))) return 0;
  const lifetime = lifetimeOf(said, headers, nowMs);
  if (lifetime === undefined) return unstatedFreshness;
  const left = lifetime - ageOf(headers, nowMs);
  return Math.floor(Math.min(Math.max(left, 0), longestFreshness));
}

/** Seconds from when it was made; undefined when nothing is said about it. */
function lifetimeOf(
  said: ReadonlyMap<string, readonly string[]>,
  headers: NodeJS.Dict<string[]>,
  nowMs: number,
): number | undefined {
  const stated = said.get('s-maxage') ?? said.get('max-age');
  if (stated !== undefined) return stated.length === 1 ? secondsIn(stated[0]) : 0;
  const expires = headers['expires'];
  if (expires === undefined) return undefined;
  const until = expires.length === 1 ? Date.parse(expires[0] ?? '') : Number.NaN;
  return Number.isNaN(until) ? 0 : (until - (dateOf(headers) ?? nowMs)) / 1000;
}

/** How old it was when it came: what caches on the way say, or what its date says, whichever is more. */
function ageOf(headers: NodeJS.Dict<string[]>, nowMs: number): number {
  const stated = headers['age'];
  const age = stated === undefined ? 0 : stated.length === 1 ? Number(stated[0]) : Number.NaN;
  const sinceMade = (nowMs - (dateOf(headers) ?? nowMs)) / 1000;
  return Number.isNaN(age) ? longestFreshness : Math.max(age, sinceMade, 0);
}

function dateOf(headers: NodeJS.Dict<string[]>): number | undefined {
  const made = Date.parse(headers['date']?.[0] ?? '');
  return Number.isNaN(made) ? undefined : made;
}

function secondsIn(text: string | undefined): number {
  return /^[0-9]+$/.test(text ?? '') ? Number(text) : 0;
}

/** Each directive of `Cache-Control` with the values it was given, in lower case (RFC 9111 section 5.2). */
function directivesOf(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [, name = '', quoted, plain] of lines
    .join(',')
    .matchAll(/([^\s,;="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,"]*)))?/g)) {
    const key = name.toLowerCase();
    found.set(key, [...(found.get(key) ?? []), quoted ?? plain ?? '']);
  }
  return found;
}
