import { isFailure } from '../../core/failure.js';
import type { JsonObject } from '../../core/text/json.js';
import type { LeftRefresh, TurnWait } from '../../stores/ports.js';
import type { EngineCommit } from '../engine/redis.js';
import {
  refreshKeyMissing,
  sharedBusy,
  sharedItemsApart,
  sharedKeyWrong,
  sharedOvertaken,
  sharedSpent,
  sharedUncertain,
} from '../failures.js';
import {
  type AccessItem,
  accessItem,
  allParts,
  digestOf,
  halvesOf,
  type Look,
  lookAt,
  newNonce,
  type Part,
  type RefreshItem,
  wholeOf,
} from './items.js';
import { commitSurely, maxTries, type SharedParts, Turn } from './turn.js';

/** The newest write of each login's refresh token that this machine has seen, by the hash of the login and the fencing number. */
export interface SeenWrites {
  learn(login: string, revision: number): Promise<void>;
  /** 0: none. */
  newest(login: string): number;
  forget(login: string): Promise<void>;
}

export type LoginsOptions = SharedParts & { readonly seen: SeenWrites };

/** A login as it was read. */
export interface ReadLogin {
  readonly access: AccessItem;
  /** Both halves; undefined on a machine without the refreshers' key. */
  readonly text: string | undefined;
}

/** What is to be written, and what it follows on. */
interface Writing {
  readonly key: string;
  readonly text: string;
  /** Of this write. */
  readonly pair: string;
  /** The pair that it follows on, where it is of the generation that is there. */
  readonly basis: string | undefined;
  /** It is what came of a refresh: a login that is gone stays gone. */
  readonly isRefresh: boolean;
}

/** Between two looks at what another machine has in hand, in milliseconds; each adds up to as much again, by chance. */
const pause = { first: 40, max: 700 } as const;

/** How long writing a credential that an authorization server has issued is tried, in milliseconds. */
const patienceMs = 10_000;

/** How long another machine is waited for that has sent the refresh token, in milliseconds: longer than a request lasts. */
const sentWaitMs = 30_000;

/** A process that has sent a refresh token and written nothing for so long, in milliseconds, is not waited for. */
const forgottenMs = 120_000;

/**
 * Logins that several machines share. A login is two sealed items, written in one commit; a third entry says whose turn it is
 * to refresh. Every commit names the revisions that it follows on, so that nothing is done by a process that was overtaken,
 * however long it was paused.
 */
export class SharedLogins {
  readonly #options: LoginsOptions;
  /** The pair that this process has read last. */
  readonly #pairs = new Map<string, string>();
  readonly #turns = new Map<string, Turn>();

  constructor(options: LoginsOptions) {
    this.#options = options;
  }

  /** @throws Failure of the engine, `store_key_wrong`, `credential_corrupt`, `credential_newer` */
  async read(key: string, signal: AbortSignal): Promise<ReadLogin | undefined> {
    const { items, seen } = this.#options;
    const parts: readonly Part[] = items.opensRefresh ? ['access', 'refresh'] : ['access'];
    const { access, refresh, entries } = await lookAt(this.#options, key, parts, signal);
    if (access === undefined) return undefined;
    this.#pairs.set(key, access.pair);
    this.#checkPair(access, refresh);
    const text = items.opensRefresh ? wholeOf(access.credential, refresh?.hidden ?? {}) : undefined;
    if (entries.refresh !== undefined) await seen.learn(items.hashOf(key), Number(entries.refresh.revision));
    return { access, text };
  }

  /** What is no credential: it is kept whole beside the refresh tokens. */
  async readOther(key: string, signal: AbortSignal): Promise<string | undefined> {
    if (!this.#options.items.opensRefresh) return undefined;
    const { refresh } = await lookAt(this.#options, key, ['refresh'], signal);
    const text = refresh?.hidden['text'];
    return typeof text === 'string' ? text : undefined;
  }

  /**
   * The turn to refresh what this process has read last: alone among all machines.
   * @throws Failure of the engine, `busy` where another machine has its turn all the time, `shared_overtaken`, `credential_corrupt`
   */
  async begin(key: string, { waitMs, lives, signal }: TurnWait): Promise<Turn | LeftRefresh> {
    const { clock } = this.#options;
    const since = clock.monotonic();
    for (let looks = 0; ; looks += 1) {
      const now = await lookAt(this.#options, key, allParts, signal);
      const { access, refresh, turn: other } = now;
      if (access === undefined || access.pair !== this.#pairs.get(key)) throw sharedOvertaken(this.#label);
      this.#checkPair(access, refresh);
      this.#checkNewest(key, now);
      const isStale = other !== undefined && other.sentAt !== null && other.pair !== access.pair;
      if (other === undefined || isStale) {
        const ended = () => this.#turns.delete(key);
        const isReusable = refresh?.isReusable === true;
        const turn = new Turn(this.#options, { key, basis: access.pair, isReusable, ended });
        if (await turn.take(this.#asSeen(key, now))) {
          this.#turns.set(key, turn);
          return turn;
        }
      }
      const waited = clock.monotonic() - since;
      if (other !== undefined && other.sentAt !== null && !isStale && refresh?.isReusable !== true) {
        const isForgotten = clock.now() - other.sentAt > (lives ? waitMs : forgottenMs);
        if (isForgotten || waited >= (lives ? waitMs : sentWaitMs)) return { since: other.sentAt, by: other.by };
      } else if (waited >= waitMs) {
        throw sharedBusy(this.#label, other?.by ?? 'unknown', waited);
      }
      await this.#pause(looks, signal);
    }
  }

  /**
   * Writes both halves. A credential of the generation that is there has to follow on the one that was read.
   * @throws Failure of the engine, `shared_overtaken`
   */
  async write(key: string, text: string, signal: AbortSignal): Promise<void> {
    const { items, clock } = this.#options;
    if (!items.opensRefresh) throw refreshKeyMissing(this.#label);
    const turn = this.#turns.get(key);
    const basis = turn?.basis ?? this.#pairs.get(key);
    const writing = { key, text, basis, pair: newNonce(), isRefresh: turn !== undefined };
    const since = clock.monotonic();
    for (let tries = 0; !(await this.#replaced(writing, since, signal)); tries += 1) await this.#pause(tries, signal);
    this.#pairs.set(key, writing.pair);
    turn?.written();
  }

  /** False where it is to be tried again. */
  async #replaced(writing: Writing, since: number, signal: AbortSignal): Promise<boolean> {
    const { items, clock, seen } = this.#options;
    const { key, pair } = writing;
    try {
      const now = await lookAt(this.#options, key, allParts, signal);
      if (now.refresh?.pair === pair) return true; // the engine was away when it had written
      const puts = this.#putsOf(now, writing);
      const removes = [items.nameOf(key, 'turn')];
      const revisions = await this.#commit({ onlyIf: this.#asSeen(key, now), puts, removes }, signal);
      if (revisions === undefined) return false;
      await seen.learn(items.hashOf(key), Number(revisions.at(-1)));
      return true;
    } catch (error) {
      if (!isFailure(error, 'store_unavailable') || clock.monotonic() - since > patienceMs) throw error;
      return false;
    }
  }

  /** The refresh half comes last. @throws Failure `shared_overtaken` */
  #putsOf(now: Look, { key, text, basis, pair, isRefresh }: Writing): EngineCommit['puts'] {
    const { items } = this.#options;
    const put = (part: Part, item: object) => {
      const name = items.nameOf(key, part);
      return { key: name, value: items.seal(name, item) };
    };
    const halves = halvesOf(text);
    if (halves === undefined) return [put('refresh', { pair, of: '', isReusable: false, hidden: { text } })];
    const { credential, hidden } = halves;
    const generation = Number(credential['generation']);
    const { access, refresh, turn } = now;
    const isSame = access?.generation === generation;
    const isLater = access !== undefined && access.generation > generation;
    const isGone = access === undefined && isRefresh;
    if (isLater || isGone || (isSame && access.pair !== basis)) throw sharedOvertaken(this.#label);
    // Only what came of a refresh says whether its token works again.
    const isSent = turn !== undefined && turn.sentAt !== null;
    const isSameToken =
      hidden['refreshToken'] !== undefined && refresh?.hidden['refreshToken'] === hidden['refreshToken'];
    const isReusable = isSame && isSameToken && (isSent || refresh?.isReusable === true);
    const item: AccessItem = { pair, generation, credential, record: access?.record };
    const half: RefreshItem = { pair, of: digestOf(item), isReusable, hidden };
    return [put('access', item), put('refresh', half)];
  }

  /** True where there was something. @throws Failure of the engine */
  async remove(key: string, signal: AbortSignal): Promise<boolean> {
    const { items, seen } = this.#options;
    if (!items.opensRefresh) throw refreshKeyMissing(this.#label);
    let was = false;
    for (let tries = 0; ; tries += 1) {
      const now = await lookAt(this.#options, key, allParts, signal);
      was ||= (now.entries.access ?? now.entries.refresh) !== undefined;
      const removes = allParts.map((part) => items.nameOf(key, part));
      if (await this.#commit({ onlyIf: this.#asSeen(key, now), puts: [], removes }, signal)) {
        await seen.forget(items.hashOf(key));
        return was;
      }
      if (tries === maxTries) throw sharedUncertain(this.#label, undefined);
      await this.#pause(tries, signal);
    }
  }

  /** Puts what the index tells of a login beside it, for machines that do not know it yet. */
  async publish(key: string, record: JsonObject, signal: AbortSignal): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { access, entries } = await lookAt(this.#options, key, ['access'], signal);
      if (access === undefined || JSON.stringify(access.record) === JSON.stringify(record)) return;
      const name = this.#options.items.nameOf(key, 'access');
      const value = this.#options.items.seal(name, { ...access, record });
      const onlyIf = [{ key: name, revision: entries.access?.revision }];
      if (await this.#commit({ onlyIf, puts: [{ key: name, value }], removes: [] }, signal)) return;
      await this.#pause(tries, signal);
    }
  }

  /** What is there of every login, without its secrets. Those that do not open are left out. */
  async records(signal: AbortSignal): Promise<readonly AccessItem[]> {
    const { engine, items } = this.#options;
    const listed = await engine.list(items.readable, signal);
    const names = listed.filter((name) => name.endsWith('/item'));
    const entries = names.length === 0 ? [] : await engine.read(names, signal);
    const found = names.map((name, at) => {
      const entry = entries[at];
      const item = entry && items.open(name, entry.value);
      return typeof item === 'object' ? accessItem(item) : undefined;
    });
    if (names.length > 0 && found.every((item) => item === undefined)) throw sharedKeyWrong(this.#label, 'readers');
    return found.filter((item, at) => {
      const key = item?.record?.['key'];
      return typeof key === 'string' && items.nameOf(key, 'access') === names[at];
    }) as readonly AccessItem[];
  }

  get #label(): string {
    return this.#options.engine.label;
  }

  /** All parts of a login are as in that look. */
  #asSeen(key: string, { entries }: Look): EngineCommit['onlyIf'] {
    return allParts.map((part) => ({ key: this.#options.items.nameOf(key, part), revision: entries[part]?.revision }));
  }

  #commit(commit: EngineCommit, signal: AbortSignal): Promise<readonly string[] | undefined> {
    return commitSurely({ engine: this.#options.engine, signal }, commit);
  }

  #checkPair(access: AccessItem, refresh: RefreshItem | undefined): void {
    if (!this.#options.items.opensRefresh) return;
    if (refresh?.pair !== access.pair || refresh.of !== digestOf(access)) throw sharedItemsApart(this.#label);
  }

  /** An engine that has lost its last writes, or was put back from a copy, offers what would be taken for a theft. */
  #checkNewest(key: string, { refresh, entries }: Look): void {
    const newest = this.#options.seen.newest(this.#options.items.hashOf(key));
    const isOlder = Number(entries.refresh?.revision) < newest;
    if (isOlder && refresh?.isReusable !== true) throw sharedSpent(this.#label);
  }

  async #pause(looks: number, signal: AbortSignal): Promise<void> {
    const ms = Math.min(pause.max, pause.first * 2 ** Math.min(looks, 5));
    await this.#options.clock.sleep(ms + Math.random() * ms, signal);
  }
}
