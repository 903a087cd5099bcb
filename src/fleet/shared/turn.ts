import { isFailure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import { timeLimit } from '../../core/time.js';
import type { SharedTurn } from '../../stores/ports.js';
import type { EngineCommit, SharedEngine } from '../engine/redis.js';
import { sharedTurnLost, sharedUncertain } from '../failures.js';
import { type Items, newNonce, type TurnItem } from './items.js';

/** What the protocol works with. */
export interface SharedParts {
  readonly engine: SharedEngine;
  readonly items: Items;
  readonly clock: Clock;
  /** This machine and process, for people on others. */
  readonly by: string;
  /** How long a turn lasts, by the engine's clock, until the refresh token is sent. */
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
 * The turn of this process to refresh a login: one entry in the engine. Until the refresh token is sent the entry expires by
 * itself; from then on it stays until the response is written, since a process that was killed may have spent that token.
 */
export class Turn implements SharedTurn {
  /** The pair that was read when it began. */
  readonly basis: string;
  readonly #parts: SharedParts;
  readonly #name: string;
  /** The refresh token works more than once: then the entry always expires. */
  readonly #isReusable: boolean;
  readonly #item: TurnItem;
  readonly #ended: () => void;
  #revision: string | undefined;
  #state: 'begun' | 'sent' | 'responded' | 'written' = 'begun';

  constructor(
    parts: SharedParts,
    of: { readonly key: string; readonly basis: string; readonly isReusable: boolean; readonly ended: () => void },
  ) {
    this.#parts = parts;
    this.#name = parts.items.nameOf(of.key, 'turn');
    this.basis = of.basis;
    this.#isReusable = of.isReusable;
    this.#ended = of.ended;
    this.#item = { nonce: newNonce(), pair: of.basis, by: parts.by, sentAt: null };
  }

  /** False where one of these conditions, or the turn itself, is another one by now. @throws Failure of the engine */
  async take(onlyIf: EngineCommit['onlyIf']): Promise<boolean> {
    const revisions = await this.#put(onlyIf, null);
    return revisions !== undefined;
  }

  /** @throws Failure `shared_overtaken` where the turn is lost, or of the engine: then nothing may be sent */
  async sending(): Promise<void> {
    if (this.#state !== 'begun') return; // once more, with another of the client's keys
    this.#state = 'sent';
    const onlyIf = [{ key: this.#name, revision: this.#revision }];
    const revisions = await this.#put(onlyIf, this.#parts.clock.now());
    if (revisions === undefined) throw sharedTurnLost(this.#parts.engine.label);
  }

  /** A response is here that may have a token: the entry stays until that is written. */
  responded(): void {
    this.#state = 'responded';
  }

  /** A response without a token. */
  hadNone(): void {
    this.#state = 'sent';
  }

  /** The new credential is in the engine, and the turn is not. */
  written(): void {
    this.#state = 'written';
  }

  /**
   * Gives the turn back where nothing came of it; where that fails after the refresh token was sent, the entry holds up the
   * login until a person logs in again.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended();
    const isNeeded = this.#state === 'responded' && !this.#isReusable;
    if (this.#state === 'written' || isNeeded) return;
    const { engine, items } = this.#parts;
    const signal = timeLimit(3_000);
    try {
      for (let tries = 0; tries < 3; tries += 1) {
        const [entry] = await engine.read([this.#name], signal);
        const item = entry && items.open(this.#name, entry.value);
        if (typeof item !== 'object' || item['nonce'] !== this.#item.nonce) return;
        const onlyIf = [{ key: this.#name, revision: entry?.revision }];
        if (await commitSurely({ engine, signal }, { onlyIf, puts: [], removes: [this.#name] })) return;
      }
    } catch (error) {
      if (!isFailure(error) && !signal.aborted) throw error;
    }
  }

  async #put(onlyIf: EngineCommit['onlyIf'], sentAt: number | null): Promise<readonly string[] | undefined> {
    const { items, leaseMs } = this.#parts;
    const value = items.seal(this.#name, { ...this.#item, sentAt });
    const ttlMs = sentAt === null || this.#isReusable ? leaseMs : undefined;
    const puts = [{ key: this.#name, value, ttlMs }];
    const revisions = await commitSurely(this.#parts, { onlyIf, puts, removes: [] });
    this.#revision = revisions?.[0];
    return revisions;
  }
}
