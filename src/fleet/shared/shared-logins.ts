import { isFailure } from '../../core/failure.js';
import type { JsonObject } from '../../core/text/json.js';
import type { LeftRefresh, TurnWait } from '../../stores/ports.js';
import type { EngineCommit } from '../engine/engine.js';
import {
  refreshKeyMissing,
  sharedBusy,
  sharedItemsApart,
  sharedKeyWrong,
  sharedSpent,
  sharedUncertain,
} from '../failures.js';
import {
  type AccessItem,
  accessItem,
  digestOf,
  holderOf,
  type Look,
  lookAt,
  newNonce,
  type Part,
  type RefreshItem,
  wholeOf,
} from './items.js';
import { commitSurely, Lease, type LoginsOptions, maxTries, Turn } from './turn.js';
import { writeUnder } from './write-under.js';

/** A login as it was read. */
export interface ReadLogin {
  readonly access: AccessItem;
  /** Both halves; undefined on a machine without the refreshers' key. */
  readonly text: string | undefined;
}

/** Between two looks at what another machine has in hand, in milliseconds; each adds up to as much again, by chance. */
const pause = { first: 40, max: 700 } as const;

/** How long writing a credential that an authorization server has issued is tried, in milliseconds. */
const patienceMs = 10_000;

const leaseWaitMs = 30_000;

/** How long another machine is waited for that has sent the refresh token and lost its turn: it may only be paused. */
const leftWaitMs = 20_000;

/** A process that has sent a refresh token and written nothing for so long, in milliseconds, is not waited for. */
const forgottenMs = 120_000;

/**
 * Logins that several machines share. A login is two sealed items, written in one commit. A refresh takes its
 * lease first, proves by the same commit that both items are as it has read them, and notes what it is about to send;
 * what comes of it is written only where the lease is still its own, and the items are those it began with.
 */
export class SharedLogins {
  readonly #options: LoginsOptions;
  /** The pair that this process has read last. */
  readonly #seen = new Map<string, string>();
  readonly #turns = new Map<string, Turn>();

  constructor(options: LoginsOptions) {
    this.#options = options;
  }

  /** @throws Failure of the engine, `store_key_wrong`, `credential_corrupt`, `credential_newer` */
  async read(key: string, signal: AbortSignal): Promise<ReadLogin | undefined> {
    const parts: readonly Part[] = this.#options.items.opensRefresh ? ['access', 'refresh'] : ['access'];
    const look = await lookAt(this.#options, key, parts, signal);
    const { access, refresh } = look;
    if (access === undefined) return undefined;
    this.#seen.set(key, access.pair);
    this.#checkPair(access, refresh);
    const text = this.#options.items.opensRefresh ? wholeOf(access.credential, refresh?.hidden ?? {}) : undefined;
    if (refresh !== undefined) await this.#options.spent.learn(this.#options.items.hashOf(key), refresh.spent);
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
   * The turn to refresh what this process has read last: alone among all machines. `overtaken`: it is another one now.
   * @throws Failure of the engine, `busy` where another machine has its turn all the time, `credential_corrupt`
   */
  async begin(key: string, { waitMs, lives, signal }: TurnWait): Promise<Turn | 'overtaken' | LeftRefresh> {
    const { clock } = this.#options;
    const since = clock.monotonic();
    for (let looks = 0; ; looks += 1) {
      const now = await lookAt(this.#options, key, ['access', 'refresh', 'lease', 'note'], signal);
      const { access, refresh } = now;
      if (access === undefined || access.pair !== this.#seen.get(key)) return 'overtaken';
      this.#checkPair(access, refresh);
      this.#checkUnspent(key, refresh);
      const left = this.#left(now);
      if (now.entries.lease === undefined && left === undefined) {
        const taken = await this.#take(key, now, signal);
        if (taken !== undefined) {
          const ended = () => this.#turns.delete(key);
          const turn = new Turn(this.#options, { key, basis: access.pair, lease: taken, ended });
          this.#turns.set(key, turn);
          return turn;
        }
      }
      const waited = clock.monotonic() - since;
      if (now.entries.lease === undefined && left !== undefined) {
        const isOld = clock.now() - left.since > forgottenMs;
        if (lives || isOld || waited >= leftWaitMs) return left;
      } else if (waited >= waitMs) {
        throw sharedBusy(this.#label, holderOf(this.#options, key, now), waited);
      }
      await this.#pause(looks, signal);
    }
  }

  /**
   * Writes both halves. A credential of the generation that is there has to follow on the one that was read.
   * @throws Failure of the engine, `shared_overtaken`, `busy`
   */
  async write(key: string, text: string, signal: AbortSignal): Promise<void> {
    if (!this.#options.items.opensRefresh) throw refreshKeyMissing(this.#label);
    const turn = this.#turns.get(key);
    const basis = turn?.basis ?? this.#seen.get(key);
    const pair = newNonce();
    const since = this.#options.clock.monotonic();
    let lease = turn?.lease;
    for (let tries = 0; ; tries += 1) {
      try {
        lease ??= await this.#takeAnyway(key, signal);
        const done = await writeUnder(this.#options, lease, { key, text, basis, pair }, signal);
        if (!done) {
          await lease[Symbol.asyncDispose]();
          lease = undefined; // lost: what follows is done under a new one, or not at all
          continue;
        }
        await lease.end();
        this.#seen.set(key, pair);
        turn?.written();
        return;
      } catch (error) {
        const isAway = isFailure(error, 'store_unavailable');
        if (!isAway || this.#options.clock.monotonic() - since > patienceMs) {
          if (lease !== turn?.lease) await lease?.[Symbol.asyncDispose]();
          throw error;
        }
        await this.#pause(tries + 3, signal);
      }
    }
  }

  /** True where there was something. @throws Failure of the engine, `busy` */
  async remove(key: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#options.items.opensRefresh) throw refreshKeyMissing(this.#label);
    let was = false;
    for (let tries = 0; ; tries += 1) {
      const lease = await this.#takeAnyway(key, signal);
      await using _lease = lease;
      const { entries } = await lookAt(this.#options, key, ['access', 'refresh', 'lease', 'note'], signal);
      was ||= (entries.access ?? entries.refresh) !== undefined;
      if (!lease.isOurs(entries.lease)) continue;
      const names = (['access', 'refresh', 'lease', 'note'] as const).map((part) => this.#nameOf(key, part));
      if (await this.#commit({ onlyIf: [lease.condition], puts: [], removes: names }, signal)) {
        await lease.end();
        await this.#options.spent.forget(this.#options.items.hashOf(key));
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
      const name = this.#nameOf(key, 'access');
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
      return typeof key === 'string' && this.#nameOf(key, 'access') === names[at];
    }) as readonly AccessItem[];
  }

  get #label(): string {
    return this.#options.engine.label;
  }

  #nameOf(key: string, part: Part): string {
    return this.#options.items.nameOf(key, part);
  }

  /** Has a refresh token been sent that works once, and nobody has written what came of it? */
  #left({ access, refresh, note }: Look): LeftRefresh | undefined {
    if (note === undefined || note.pair !== access?.pair || refresh?.isReusable === true) return undefined;
    return { since: note.since, by: note.by };
  }

  /** The lease, where nothing of the login has changed since that look. A note that is of no matter goes. */
  async #take(key: string, { entries }: Look, signal: AbortSignal): Promise<Lease | undefined> {
    const onlyIf = (['access', 'refresh', 'lease', 'note'] as const).map((part) => ({
      key: this.#nameOf(key, part),
      revision: entries[part]?.revision,
    }));
    return await this.#put(key, onlyIf, entries.note === undefined ? [] : [this.#nameOf(key, 'note')], signal);
  }

  /** The lease, whatever the login is: for who writes what follows on nothing, or on what it has in hand. */
  async #takeAnyway(key: string, signal: AbortSignal): Promise<Lease> {
    const name = this.#nameOf(key, 'lease');
    const since = this.#options.clock.monotonic();
    for (let looks = 0; ; looks += 1) {
      const now = await lookAt(this.#options, key, ['lease'], signal);
      if (now.entries.lease === undefined) {
        const taken = await this.#put(key, [{ key: name, revision: undefined }], [], signal);
        if (taken !== undefined) return taken;
      }
      const waited = this.#options.clock.monotonic() - since;
      if (waited >= leaseWaitMs) throw sharedBusy(this.#label, holderOf(this.#options, key, now), waited);
      await this.#pause(looks, signal);
    }
  }

  async #put(
    key: string,
    onlyIf: EngineCommit['onlyIf'],
    removes: readonly string[],
    signal: AbortSignal,
  ): Promise<Lease | undefined> {
    const lease = new Lease(this.#options, key);
    const revisions = await this.#commit({ onlyIf, puts: [lease.put], removes }, signal);
    if (revisions === undefined) return undefined;
    lease.begin(revisions[0] ?? '');
    return lease;
  }

  #commit(commit: EngineCommit, signal: AbortSignal): Promise<readonly string[] | undefined> {
    return commitSurely({ engine: this.#options.engine, signal }, commit);
  }

  #checkPair(access: AccessItem, refresh: RefreshItem | undefined): void {
    if (!this.#options.items.opensRefresh) return;
    if (refresh?.pair !== access.pair || refresh.of !== digestOf(access)) throw sharedItemsApart(this.#label);
  }

  /** An engine that has lost its last writes, or was put back from a copy, offers what would be taken for a theft. */
  #checkUnspent(key: string, refresh: RefreshItem | undefined): void {
    const { items, spent } = this.#options;
    const token = refresh?.hidden['refreshToken'];
    if (typeof token === 'string' && spent.has(items.hashOf(key), items.markOf(token))) throw sharedSpent(this.#label);
  }

  async #pause(looks: number, signal: AbortSignal): Promise<void> {
    const ms = Math.min(pause.max, pause.first * 2 ** Math.min(looks, 5));
    await this.#options.clock.sleep(ms + Math.random() * ms, signal);
  }
}
