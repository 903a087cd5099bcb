import type { Origin } from './origin.js';

/**
 * Connections to one origin at the same time: for requests with an end; for those whose response may be a stream without
 * one; and for such streams, once they are there.
 */
export interface PoolLimits {
  readonly bounded: number;
  readonly stream: number;
  readonly streaming: number;
}

/** Enough for one command, and bearable for a server. */
export const usualPoolLimits: PoolLimits = { bounded: 8, stream: 64, streaming: 1_024 };

/** What a connection is borrowed for. */
export type BorrowedFor = 'bounded' | 'stream';

/** A connection as its pool sees it. */
export interface PooledConnection extends AsyncDisposable {
  /** Whether the next request can go the same way without connecting anew. */
  readonly usable: boolean;
}

/** Owns a connection between requests. */
export interface ConnectionOwner<C extends PooledConnection> {
  /** The request that it was lent for is over; an unusable connection is closed. A second call does nothing. */
  release(connection: C): void;
  /** The response to its request is a stream that may stay: others need not wait for its end. */
  streaming(connection: C): void;
  /** No connection came about: the origin may have moved. */
  unreachable(): void;
  /** The connection is closed. */
  gone(connection: C): void;
}

/** Makes a connection to an origin, which is opened when it is first used. */
export type MakeConnection<C extends PooledConnection> = (origin: Origin, owner: ConnectionOwner<C>) => C;

/**
 * The connections to one origin. A request gets the one that became free last, so that requests one after another share
 * one connection; only while all are busy is another opened.
 */
export class ConnectionPool<C extends PooledConnection> implements ConnectionOwner<C>, AsyncDisposable {
  readonly origin: Origin;
  /** The last connection is gone, or one did not come about: the origin must be looked up anew. */
  isStale = false;
  readonly #make: MakeConnection<C>;
  readonly #connected: Set<ConnectionPool<C>>;
  readonly #all = new Set<C>();
  readonly #lent = new Map<C, Slots>();
  /** Those that have been idle longest come first. */
  readonly #idle: C[] = [];
  readonly #slots: Readonly<Record<keyof PoolLimits, Slots>>;

  /** @param connected The pools that have connections: this one is among them while it has */
  constructor(
    origin: Origin,
    make: MakeConnection<C>,
    { bounded, stream, streaming }: PoolLimits,
    connected: Set<ConnectionPool<C>>,
  ) {
    this.origin = origin;
    this.#make = make;
    this.#connected = connected;
    this.#slots = { bounded: new Slots(bounded), stream: new Slots(stream), streaming: new Slots(streaming) };
  }

  /** A connection that is the caller's until `release`. @param fresh None that was used before. @throws the signal's reason */
  async borrow(kind: BorrowedFor, signal: AbortSignal, fresh = false): Promise<C> {
    const slots = this.#slots[kind];
    await slots.take(signal);
    return this.#lend(slots, fresh);
  }

  /** The same without a wait; undefined when all are taken. */
  borrowNow(kind: BorrowedFor, fresh = false): C | undefined {
    const slots = this.#slots[kind];
    return slots.takeNow() ? this.#lend(slots, fresh) : undefined;
  }

  release(connection: C): void {
    const slots = this.#lent.get(connection);
    if (slots === undefined) return;
    this.#lent.delete(connection);
    if (connection.usable) this.#idle.push(connection);
    else this.#drop(connection);
    slots.give();
  }

  streaming(connection: C): void {
    const { streaming } = this.#slots;
    const slots = this.#lent.get(connection);
    if (slots === undefined || slots === streaming || !streaming.takeNow()) return;
    this.#lent.set(connection, streaming);
    slots.give();
  }

  unreachable(): void {
    this.isStale = true;
  }

  gone(connection: C): void {
    if (!this.#lent.has(connection)) this.#drop(connection);
  }

  /** Drops connections that are idle and cannot be used any more. */
  prune(): void {
    for (let [first] = this.#idle; first?.usable === false; [first] = this.#idle) this.#drop(first);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((connection) => connection[Symbol.asyncDispose]()));
  }

  #lend(slots: Slots, fresh: boolean): C {
    let connection = fresh ? undefined : this.#idle.pop();
    while (connection?.usable === false) {
      this.#drop(connection);
      connection = this.#idle.pop();
    }
    connection ??= this.#make(this.origin, this);
    this.#all.add(connection);
    this.#connected.add(this);
    this.#lent.set(connection, slots);
    return connection;
  }

  #drop(connection: C): void {
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    if (!this.#all.delete(connection)) return;
    void connection[Symbol.asyncDispose]();
    if (this.#all.size > 0) return;
    this.isStale = true;
    this.#connected.delete(this);
  }
}

/** A number of slots that are taken and given back; without a free one the caller waits in line. */
class Slots {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** False when none is free. */
  takeNow(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** @throws the signal's reason */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.takeNow()) return;
    await new Promise<void>((resolve, reject) => {
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(turn);
        reject(signal.reason);
      };
      this.#waiting.add(turn);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  give(): void {
    const [turn] = this.#waiting;
    if (turn === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(turn);
    turn();
  }
}
