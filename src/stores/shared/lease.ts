import { isFailure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import type { EngineEntry, SharedEngine } from '../engines/engine.js';
import { type Items, newNonce } from './items.js';

/** What the parts of the protocol are made with. */
export interface SharedParts {
  readonly engine: SharedEngine;
  readonly items: Items;
  readonly clock: Clock;
  /** This machine and process, for people on others. */
  readonly by: string;
  /** How long a lease lasts without a sign of life, by the engine's clock. */
  readonly leaseMs: number;
  readonly signal: AbortSignal;
}

/**
 * A lease: an entry that the engine removes by itself. It is renewed until it is disposed of. What is done under it is
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
        const result = await engine.commit({ onlyIf: [this.condition], puts: [], removes: [this.name] }, signal);
        if (result.outcome === 'committed') return;
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
        const result = await engine.commit({ onlyIf: [this.condition], puts: [this.put], removes: [] }, signal);
        if (result.outcome === 'committed') {
          this.#revision = result.revisions[0];
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
