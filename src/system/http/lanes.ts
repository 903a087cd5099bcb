import type { ConnectorOptions } from './connector.js';
import { Lane } from './lane.js';
import type { Place } from './place.js';
import { Slots } from './slots.js';

/** Connections to one origin at the same time: for requests with an end, and for streams without one. */
export interface MostLanes {
  readonly bounded: number;
  readonly stream: number;
}

/** What one command needs, and a server bears. */
export const usualLanes: MostLanes = { bounded: 8, stream: 64 };

/** A lane that is ours until `release`. */
export interface BorrowedLane {
  readonly lane: Lane;
  /** Gives the lane back; a lane whose connection cannot be used again is closed. */
  release(): void;
}

/** Told when a connection is opened, and when the last is gone: then the place must be looked up anew. */
export interface LanesWatcher {
  opened(lanes: Lanes): void;
  emptied(lanes: Lanes): void;
}

/**
 * The connections to one place. A request gets the one that became free last, so that requests one
 * after another share one connection; only while all are busy is another opened.
 */
export class Lanes implements AsyncDisposable {
  readonly place: Place;
  readonly #options: ConnectorOptions;
  readonly #watcher: LanesWatcher;
  readonly #lanes = new Set<Lane>();
  readonly #idle: Lane[] = [];
  readonly #slots: Readonly<Record<keyof MostLanes, Slots>>;

  constructor(place: Place, options: ConnectorOptions & { readonly most: MostLanes }, watcher: LanesWatcher) {
    this.place = place;
    this.#options = options;
    this.#watcher = watcher;
    const { bounded, stream } = options.most;
    this.#slots = { bounded: new Slots(bounded), stream: new Slots(stream) };
  }

  /** @throws the signal's reason */
  async borrow(kind: keyof MostLanes, signal: AbortSignal): Promise<BorrowedLane> {
    const slots = this.#slots[kind];
    await slots.take(signal);
    return this.#lend(slots);
  }

  /** The same without a wait; undefined when all are taken. */
  borrowNow(kind: keyof MostLanes): BorrowedLane | undefined {
    const slots = this.#slots[kind];
    return slots.takeNow() ? this.#lend(slots) : undefined;
  }

  #lend(slots: Slots): BorrowedLane {
    this.prune();
    const lane = this.#idle.pop() ?? this.#open();
    lane.occupy();
    let borrowed = true;
    const release = (): void => {
      if (!borrowed) return;
      borrowed = false;
      lane.free();
      if (lane.usable) this.#idle.push(lane);
      else this.#drop(lane);
      slots.give();
    };
    return { lane, release };
  }

  /** Drops connections that the other side has closed while they were idle. */
  prune(): void {
    if (this.#idle.every((lane) => lane.usable)) return;
    for (const lane of [...this.#idle]) if (!lane.usable) this.#drop(lane);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#lanes].map((lane) => lane[Symbol.asyncDispose]()));
  }

  #open(): Lane {
    const lane = new Lane(this.place, this.#options, (gone) => this.#drop(gone));
    this.#lanes.add(lane);
    this.#watcher.opened(this);
    return lane;
  }

  #drop(lane: Lane): void {
    const index = this.#idle.indexOf(lane);
    if (index !== -1) this.#idle.splice(index, 1);
    if (!this.#lanes.delete(lane)) return;
    void lane[Symbol.asyncDispose]();
    if (this.#lanes.size === 0) this.#watcher.emptied(this);
  }
}
