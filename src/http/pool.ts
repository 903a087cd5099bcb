import type { Place } from './origin.js';

/**
 * Connections to one origin at the same time: for requests with an end; for those whose answer may be a stream without
 * one; and for such streams, once they are there.
 */
export interface MostLanes {
  readonly bounded: number;
  readonly stream: number;
  readonly standing: number;
}

/** What one command needs, and a server bears. */
export const usualLanes: MostLanes = { bounded: 8, stream: 64, standing: 1_024 };

/** How often it is looked whether idle connections have had their time, in milliseconds. */
const lookEveryMs = 2_000;

/** What a lane is borrowed for. */
export type LentFor = 'bounded' | 'stream';

/** Makes a connection of a place, which is opened when it is first used. */
export type MakeLane<L extends PooledLane> = (place: Place, home: LaneHome<L>) => L;

/**
 * Told when a connection is opened, and when the last is gone or one did not come about: then the place must be looked
 * up anew.
 */
export interface LanesWatcher<L extends PooledLane> {
  opened(lanes: Lanes<L>): void;
  emptied(lanes: Lanes<L>): void;
  unreachable(lanes: Lanes<L>): void;
}

/**
 * The connections to one place. A request gets the one that became free last, so that requests one
 * after another share one connection; only while all are busy is another opened.
 */
export class Lanes<L extends PooledLane> implements LaneHome<L>, AsyncDisposable {
  readonly place: Place;
  readonly #make: MakeLane<L>;
  readonly #watcher: LanesWatcher<L>;
  readonly #lanes = new Set<L>();
  readonly #lent = new Map<L, Slots>();
  /** Those that have been idle longest come first. */
  readonly #idle: L[] = [];
  #look: NodeJS.Timeout | undefined;
  readonly #slots: Readonly<Record<keyof MostLanes, Slots>>;

  constructor(place: Place, make: MakeLane<L>, most: MostLanes, watcher: LanesWatcher<L>) {
    this.place = place;
    this.#make = make;
    this.#watcher = watcher;
    const { bounded, stream, standing } = most;
    this.#slots = { bounded: new Slots(bounded), stream: new Slots(stream), standing: new Slots(standing) };
  }

  /** A lane that is the caller's until `release`. @throws the signal's reason */
  async borrow(kind: LentFor, signal: AbortSignal): Promise<L> {
    const slots = this.#slots[kind];
    await slots.take(signal);
    return this.#lend(slots);
  }

  /** The same without a wait; undefined when all are taken. */
  borrowNow(kind: LentFor): L | undefined {
    const slots = this.#slots[kind];
    return slots.takeNow() ? this.#lend(slots) : undefined;
  }

  release(lane: L): void {
    const slots = this.#lent.get(lane);
    if (slots === undefined) return;
    this.#lent.delete(lane);
    if (lane.usable) {
      this.#idle.push(lane);
      this.#look ??= setInterval(() => this.#lookAround(), lookEveryMs).unref();
    } else {
      this.#drop(lane);
    }
    slots.give();
  }

  stands(lane: L): void {
    const { standing } = this.#slots;
    const slots = this.#lent.get(lane);
    if (slots === undefined || slots === standing || !standing.takeNow()) return;
    this.#lent.set(lane, standing);
    slots.give();
  }

  unreachable(): void {
    this.#watcher.unreachable(this);
  }

  gone(lane: L): void {
    if (!this.#lent.has(lane)) this.#drop(lane);
  }

  /** Drops connections that are idle and cannot be used any more. */
  prune(): void {
    for (let [first] = this.#idle; first?.usable === false; [first] = this.#idle) this.#drop(first);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#look);
    await Promise.all([...this.#lanes].map((lane) => lane[Symbol.asyncDispose]()));
  }

  #lend(slots: Slots): L {
    let lane = this.#idle.pop();
    while (lane?.usable === false) {
      this.#drop(lane);
      lane = this.#idle.pop();
    }
    lane ??= this.#open();
    this.#lent.set(lane, slots);
    return lane;
  }

  #open(): L {
    const lane = this.#make(this.place, this);
    this.#lanes.add(lane);
    this.#watcher.opened(this);
    return lane;
  }

  /** What nobody will use again is closed, and does not wait for the next request. Without idle ones nobody is woken. */
  #lookAround(): void {
    for (const lane of this.#idle.filter(({ usable }) => !usable)) this.#drop(lane);
    if (this.#idle.length > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
  }

  #drop(lane: L): void {
    const index = this.#idle.indexOf(lane);
    if (index !== -1) this.#idle.splice(index, 1);
    if (!this.#lanes.delete(lane)) return;
    void lane[Symbol.asyncDispose]();
    if (this.#lanes.size === 0) this.#watcher.emptied(this);
  }
}

/** A number of places that are taken and given back; who finds none free waits in line. */
export class Slots {
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

/** A connection as those see it who keep it between requests. */
export interface PooledLane extends AsyncDisposable {
  /** Whether the next request can go the same way without connecting anew. */
  readonly usable: boolean;
}

/** Where a connection belongs. */
export interface LaneHome<L extends PooledLane> {
  /** The request that it was lent for is over; a lane that is not usable any more is closed. Again: nothing. */
  release(lane: L): void;
  /** The answer to its request is a stream that may stay: others need not wait for its end. */
  stands(lane: L): void;
  /** No connection came about: the place may have moved. */
  unreachable(): void;
  /** The connection is closed. */
  gone(lane: L): void;
}
