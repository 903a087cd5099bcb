/** A request of the host that has no answer yet. */
export interface Pending {
  readonly id: string;
  /** The id as the host spelled it. */
  readonly idBytes: Uint8Array;
  readonly method: string;
  /** Whether it is one of the wire without sessions, where ending the exchange cancels the request. */
  readonly isModern: boolean;
  /** Resolves once it is answered, by whomever. */
  readonly answered: Promise<void>;
  /** Ends what is under way for it; replaced as that changes. */
  abort: () => void;
  isCancelled: boolean;
}

/** Emptied when it is taken out: V8 keeps what was in a map that changes all the time, and all that it refers to. */
interface Entry {
  pending: Pending | undefined;
  answered: () => void;
}

const nobody = (): void => undefined;

/** The requests of the host that have no answer yet: only what answers one of them is passed on to the host. */
export class PendingRequests {
  readonly #open = new Map<string, Entry>();
  #idle: (() => void)[] = [];

  get size(): number {
    return this.#open.size;
  }

  /** Undefined for an id that is still in use. */
  add(request: Omit<Pending, 'answered' | 'abort' | 'isCancelled'>): Pending | undefined {
    if (this.#open.has(request.id)) return undefined;
    let answered = nobody;
    const promise = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const pending = { ...request, answered: promise, abort: nobody, isCancelled: false };
    this.#open.set(request.id, { pending, answered });
    return pending;
  }

  find(id: string | undefined): Pending | undefined {
    return id === undefined ? undefined : this.#open.get(id)?.pending;
  }

  has(pending: Pending): boolean {
    return this.#open.get(pending.id)?.pending === pending;
  }

  /** It has been answered, or will not be. False when it was before. */
  settle(pending: Pending): boolean {
    const entry = this.#open.get(pending.id);
    if (entry?.pending !== pending) return false;
    this.#open.delete(pending.id);
    entry.answered();
    entry.pending = undefined;
    entry.answered = nobody;
    if (this.#open.size === 0) for (const then of this.#idle.splice(0)) then();
    return true;
  }

  /** Resolves once there is none. */
  async empty(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
