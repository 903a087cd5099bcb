/** A request of the host that has no response yet. */
export interface Pending {
  readonly id: string;
  /** The id as the host spelled it. */
  readonly idBytes: Uint8Array;
  readonly method: string;
  /** Whether it is one of the newer era, where ending the exchange cancels the request. */
  readonly isModern: boolean;
  /** Resolves once it has its response, or will have none. */
  readonly settled: Promise<void>;
  /** What is under way for it, once it is being sent. */
  exchange: UnderWay | undefined;
  isCancelled: boolean;
}

/** How a request goes on that the server has been sent. */
export interface UnderWay {
  abort(reason: unknown): void;
  /** Whether the server has answered that it does not take it. */
  readonly isRefused: boolean;
}

/** Over a transport whose requests cannot be ended one by one. */
export const endless: UnderWay = { abort: () => undefined, isRefused: false };

/** Whether the server may be carrying it out. */
export function mayBeCarriedOut({ exchange }: Pending): boolean {
  return exchange !== undefined && !exchange.isRefused;
}

/** Emptied when it is taken out: V8 keeps what was in a map that changes all the time, and all that it refers to. */
interface Entry {
  pending: Pending | undefined;
  settle: () => void;
}

const nothing = (): void => undefined;

/** The requests of the host that have no response yet: only what responds to one of them is passed on to the host. */
export class PendingRequests {
  readonly #open = new Map<string, Entry>();
  #idle: (() => void)[] = [];

  /** Undefined for an id that is still in use. */
  add(request: Pick<Pending, 'id' | 'idBytes' | 'method' | 'isModern'>): Pending | undefined {
    if (this.#open.has(request.id)) return undefined;
    let settle = nothing;
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const pending = { ...request, settled, exchange: undefined, isCancelled: false };
    this.#open.set(request.id, { pending, settle });
    return pending;
  }

  find(id: string | undefined): Pending | undefined {
    return id === undefined ? undefined : this.#open.get(id)?.pending;
  }

  has(pending: Pending): boolean {
    return this.find(pending.id) === pending;
  }

  /** It has its response, or will have none. False when it was settled before. */
  settle(pending: Pending): boolean {
    const entry = this.#open.get(pending.id);
    if (entry?.pending !== pending) return false;
    this.#open.delete(pending.id);
    entry.settle();
    entry.pending = undefined;
    entry.settle = nothing;
    if (this.#idle.length > 0 && !this.awaited) for (const then of this.#idle.splice(0)) then();
    return true;
  }

  /** Whether a response is to come: one that listens has none for as long as it listens. */
  get awaited(): boolean {
    return [...this.#open.values()].some(({ pending }) => pending?.method !== 'subscriptions/listen');
  }

  /** Resolves once no response is to come. */
  async empty(): Promise<void> {
    if (this.awaited) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
