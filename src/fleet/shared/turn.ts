import { isFailure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import { timeLimit } from '../../core/time.js';
import type { SharedTurn } from '../../stores/ports.js';
import type { EngineCommit, EngineEntry, SharedEngine } from '../engine/engine.js';
import { sharedTurnLost, sharedUncertain } from '../failures.js';
import { type Items, type Note, newNonce } from './items.js';

/** What the parts of the protocol are made with. */
interface SharedParts {
  readonly engine: SharedEngine;
  readonly items: Items;
  readonly clock: Clock;
  /** This machine and process, for people on others. */
  readonly by: string;
  /** How long a lease lasts without a sign of life, by the engine's clock. */
  readonly leaseMs: number;
  readonly signal: AbortSignal;
}

/** How often a response of the engine may go missing. */
export const maxTries = 6;

/**
 * Commits, and finds out where the response goes missing: what is put first is sealed, and so like nothing else.
 * @returns The new revisions; undefined where a condition does not hold.
 * @throws Failure of the engine, `store_unavailable`
 */
export async function commitSurely(
  { engine, signal }: Pick<SharedParts, 'engine' | 'signal'>,
  commit: EngineCommit,
): Promise<readonly string[] | undefined> {
  const [first] = commit.puts;
  let cause: unknown;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const result = await engine.commit(commit, signal);
    if (result.outcome === 'committed') return result.revisions;
    if (first !== undefined) {
      const [entry] = await engine.read([first.key], signal);
      if (entry !== undefined && Buffer.compare(entry.value, first.value) === 0) {
        return commit.puts.map(() => entry.revision);
      }
    }
    if (result.outcome === 'conflict') return undefined;
    cause = result.cause;
  }
  throw sharedUncertain(engine.label, cause);
}

/**
 * A lease: an entry that expires in the engine. It is extended until it is disposed of. What is done under it is
 * made to depend on its revision, so that nothing is done by who has lost it, however long it was paused.
 */
export class Lease implements AsyncDisposable {
  readonly nonce = newNonce();
  readonly name: string;
  readonly #parts: SharedParts;
  readonly #ending = new AbortController();
  #revision: string | undefined;
  #living: Promise<void> = Promise.resolve();

  constructor(parts: SharedParts, key: string) {
    this.#parts = parts;
    this.name = parts.items.nameOf(key, 'lease');
  }

  /** The entry of this lease, to be put. */
  get put() {
    const { items, by, leaseMs } = this.#parts;
    return { key: this.name, value: items.seal(this.name, { nonce: this.nonce, by }), ttlMs: leaseMs };
  }

  /** Is this entry ours? Then its revision is known from now on. */
  isOurs(entry: EngineEntry | undefined): boolean {
    if (entry === undefined) return false;
    const item = this.#parts.items.open(this.name, entry.value);
    if (typeof item !== 'object' || item['nonce'] !== this.nonce) return false;
    this.#revision = entry.revision;
    return true;
  }

  /** What a commit under this lease depends on. */
  get condition() {
    return { key: this.name, revision: this.#revision ?? 'none' };
  }

  /** It was put. Signs of life begin. */
  begin(revision: string): void {
    this.#revision = revision;
    this.#living = this.#live();
  }

  /** No more signs of life. Done when a commit has removed it, too. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#living;
  }

  /** Gives it back, where it is still ours; where that fails it ends by itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    const isEnded = this.#ending.signal.aborted;
    await this.end();
    if (isEnded || this.#revision === undefined) return;
    await this.#quietly(async () => {
      for (let tries = 0; tries < 3; tries += 1) {
        const { engine, signal } = this.#parts;
        if (await commitSurely(this.#parts, { onlyIf: [this.condition], puts: [], removes: [this.name] })) return;
        const [entry] = await engine.read([this.name], signal);
        if (!this.isOurs(entry)) return;
      }
    });
  }

  async #live(): Promise<void> {
    const { clock, engine, leaseMs, signal } = this.#parts;
    const { signal: ending } = this.#ending;
    for (;;) {
      try {
        await clock.sleep(leaseMs / 3, AbortSignal.any([ending, signal]));
      } catch {
        return;
      }
      const isLost = await this.#quietly(async () => {
        const extended = await commitSurely(this.#parts, { onlyIf: [this.condition], puts: [this.put], removes: [] });
        if (extended !== undefined) {
          this.#revision = extended[0];
          return false;
        }
        const [entry] = await engine.read([this.name], signal);
        return !this.isOurs(entry);
      });
      if (isLost === true) return;
    }
  }

  /** An engine that is away for a moment is asked again the next time. */
  async #quietly<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isFailure(error) && !this.#parts.signal.aborted) throw error;
      return undefined;
    }
  }
}

/** Refresh tokens that this machine has seen replaced, by the hash of their login and their marks. */
export interface SpentTokens {
  learn(login: string, marks: readonly string[]): Promise<void>;
  has(login: string, mark: string): boolean;
  forget(login: string): Promise<void>;
}

export type LoginsOptions = SharedParts & { readonly spent: SpentTokens };

/** The turn of this process to refresh a login. */
export class Turn implements SharedTurn {
  /** What was read when it began. */
  readonly basis: string;
  readonly lease: Lease;
  readonly #options: LoginsOptions;
  readonly #key: string;
  readonly #ended: () => void;
  readonly #note: Note;
  #state: 'begun' | 'noted' | 'responded' | 'written' = 'begun';

  constructor(
    options: LoginsOptions,
    of: { readonly key: string; readonly basis: string; readonly lease: Lease; readonly ended: () => void },
  ) {
    this.#options = options;
    this.#key = of.key;
    this.basis = of.basis;
    this.lease = of.lease;
    this.#ended = of.ended;
    this.#note = { nonce: newNonce(), pair: of.basis, since: options.clock.now(), by: options.by };
  }

  get #name(): string {
    return this.#options.items.nameOf(this.#key, 'note');
  }

  /**
   * Writes the note, as the last thing before the refresh token leaves: a process that finds it knows that the token may be spent.
   * @throws Failure `shared_overtaken` where the lease is lost, or of the engine: then nothing may be sent
   */
  async sending(): Promise<void> {
    if (this.#state !== 'begun') return; // asked once more, with another key: a note stands already
    this.#state = 'noted';
    const { engine, items, signal } = this.#options;
    const puts = [{ key: this.#name, value: items.seal(this.#name, this.#note) }];
    for (;;) {
      const onlyIf = [this.lease.condition, { key: this.#name, revision: undefined }];
      if (await commitSurely(this.#options, { onlyIf, puts, removes: [] })) return;
      const [lease] = await engine.read([this.lease.name], signal);
      if (!this.lease.isOurs(lease)) throw sharedTurnLost(engine.label); // else a sign of life has come between
    }
  }

  /** A response is here that may have a token: from now on the note stays until it is written. */
  responded(): void {
    this.#state = 'responded';
  }

  /** A response without a token. */
  hadNone(): void {
    this.#state = 'noted';
  }

  /** The new credential is in the engine, the note and the lease are not. */
  written(): void {
    this.#state = 'written';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended();
    try {
      if (this.#state === 'noted') await this.#takeBack();
    } finally {
      await this.lease[Symbol.asyncDispose]();
    }
  }

  #isOwnNote(entry: EngineEntry | undefined): boolean {
    const item = entry && this.#options.items.open(this.#name, entry.value);
    return typeof item === 'object' && item['nonce'] === this.#note.nonce;
  }

  /**
   * Nothing was sent, or nothing came of it. Only our own note is removed, even if another process has the lease by now; where that fails, it
   * holds up the login until a person logs in again.
   */
  async #takeBack(): Promise<void> {
    const { engine } = this.#options;
    const signal = timeLimit(3_000);
    try {
      for (let tries = 0; tries < 3; tries += 1) {
        const [entry] = await engine.read([this.#name], signal);
        if (!this.#isOwnNote(entry)) return;
        const onlyIf = [{ key: this.#name, revision: entry?.revision }];
        if (await commitSurely({ engine, signal }, { onlyIf, puts: [], removes: [this.#name] })) return;
      }
    } catch (error) {
      if (!isFailure(error) && !signal.aborted) throw error;
    }
  }
}
