import { isFailure } from '../../core/failure.js';
import { timeLimit } from '../../core/time.js';
import type { EngineEntry } from '../engines/engine.js';
import type { SharedTurn } from '../ports.js';
import { sharedTurnLost, sharedUncertain } from './failures.js';
import { type Note, newNonce } from './items.js';
import type { Lease, SharedParts } from './lease.js';

/**
 * Notes of this machine behind which nothing was sent, or nothing came of it: whoever was killed, or cut off from the
 * engine, could not take them back.
 */
export interface SettledNotes {
  settle(nonce: string): void;
  /** From now on something may be sent. */
  unsettle(nonce: string): void;
  isSettled(nonce: string): boolean;
}

/** Refresh tokens that this machine has seen replaced, by the hash of their login and their marks. */
export interface SpentTokens {
  learn(login: string, marks: readonly string[]): Promise<void>;
  has(login: string, mark: string): boolean;
  forget(login: string): Promise<void>;
}

export type LoginsOptions = SharedParts & { readonly settled: SettledNotes; readonly spent: SpentTokens };

/** How often a response of the engine may go missing. */
export const maxUnknown = 6;

/** The turn of this process to refresh a login. */
export class Turn implements SharedTurn {
  /** What was read when it began. */
  readonly basis: string;
  readonly lease: Lease;
  readonly #options: LoginsOptions;
  readonly #key: string;
  readonly #ended: () => void;
  readonly #note: Note;
  #noteRevision: string | undefined;
  #state: 'begun' | 'noted' | 'sent' | 'responded' | 'written' = 'begun';

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
   * Writes the note, as the last thing before the refresh token leaves: whoever finds it knows that the token may be spent.
   * @throws Failure `shared_overtaken` where the lease is lost, or of the engine: then nothing may be sent
   */
  async sending(): Promise<void> {
    if (this.#state !== 'begun') return; // asked once more, with another key: a note stands already
    this.#state = 'noted';
    // A process that is killed before the last line here has sent nothing, and another one of this machine knows it.
    this.#options.settled.settle(this.#note.nonce);
    await this.#writeNote();
    this.#options.settled.unsettle(this.#note.nonce);
    this.#state = 'sent';
  }

  async #writeNote(): Promise<void> {
    const { engine, items, signal } = this.#options;
    const value = items.seal(this.#name, this.#note);
    let cause: unknown;
    for (let unknown = 0; unknown < maxUnknown; ) {
      const onlyIf = [this.lease.condition, { key: this.#name, revision: undefined }];
      const result = await engine.commit({ onlyIf, puts: [{ key: this.#name, value }], removes: [] }, signal);
      if (result.outcome === 'committed') {
        this.#noteRevision = result.revisions[0];
        return;
      }
      if (result.outcome === 'unknown') ({ cause } = result);
      if (result.outcome === 'unknown') unknown += 1;
      const [lease, note] = await engine.read([this.lease.name, this.#name], signal);
      const isOurs = this.lease.isOurs(lease);
      if (this.#isOwnNote(note)) this.#noteRevision = note?.revision;
      if (!isOurs) throw sharedTurnLost(engine.label);
      if (this.#noteRevision !== undefined) return;
    }
    throw sharedUncertain(engine.label, cause);
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
      if (this.#state === 'noted') await this.#changeNote('remove');
      if (this.#state === 'sent') await this.#changeNote('silent');
    } finally {
      await this.lease[Symbol.asyncDispose]();
    }
  }

  #isOwnNote(entry: EngineEntry | undefined): boolean {
    const item = entry && this.#options.items.open(this.#name, entry.value);
    return typeof item === 'object' && item['nonce'] === this.#note.nonce;
  }

  /**
   * Nothing was sent, or nothing came of it; or no response came at all. Only our own note is changed, whoever has the
   * lease now.
   */
  async #changeNote(how: 'remove' | 'silent'): Promise<void> {
    const { engine, items, settled } = this.#options;
    const isSilent = how === 'silent';
    const value = items.seal(this.#name, { ...this.#note, isSilent });
    const change = isSilent ? { puts: [{ key: this.#name, value }], removes: [] } : { puts: [], removes: [this.#name] };
    const signal = timeLimit(3_000);
    try {
      for (let tries = 0; tries < 3; tries += 1) {
        const [entry] = await engine.read([this.#name], signal);
        if (!this.#isOwnNote(entry)) return;
        const onlyIf = [{ key: this.#name, revision: entry?.revision }];
        const { outcome } = await engine.commit({ onlyIf, ...change }, signal);
        if (outcome === 'committed') return;
      }
    } catch (error) {
      if (!isFailure(error) && !signal.aborted) throw error;
    }
    if (!isSilent) settled.settle(this.#note.nonce);
  }
}
