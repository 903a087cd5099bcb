/** A member of an active set, of one at a time. */
export interface Active {
  /** Its index there, which the set alone writes. */
  activeAt: number;
}

/**
 * What is under way now, in no order. A `Set` would do, but V8 keeps alive what has been in one whose members change all
 * the time: each of its tables refers to the next one, and the first of them has grown old.
 */
export class ActiveSet<T extends Active> {
  readonly #all: T[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(one: T): void {
    one.activeAt = this.#all.push(one) - 1;
  }

  /** False when it was not there. */
  remove(one: Active): boolean {
    if (this.#all[one.activeAt] !== one) return false;
    const last = this.#all.pop();
    if (last !== undefined && last !== one) {
      this.#all[one.activeAt] = last;
      last.activeAt = one.activeAt;
    }
    return true;
  }

  /** A copy: members may come and go while it is read. */
  all(): readonly T[] {
    return [...this.#all];
  }
}

/** After so many intervals without a check this process was stopped meanwhile. */
const stoppedAfter = 5;

/** Checks periodically what is under way: one timer for all of it, and none while there is nothing. */
export class Lookout {
  readonly #everyMs: number;
  readonly #look: (now: number, isOnTime: boolean) => boolean;
  #timer: NodeJS.Timeout | undefined;
  #now = 0;

  /**
   * @param look False: nothing is under way any more. `isOnTime`: this process was not stopped meanwhile; if it was, what
   *   has come is still unread, and limits are applied next time.
   */
  constructor(everyMs: number, look: (now: number, isOnTime: boolean) => boolean) {
    this.#everyMs = everyMs;
    this.#look = look;
  }

  /** When it checked last, as `performance.now()`. */
  get now(): number {
    return this.#now;
  }

  /** Called whenever something begins. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#now = performance.now();
    this.#timer = setInterval(() => this.#tick(), this.#everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const before = this.#now;
    this.#now = performance.now();
    if (!this.#look(this.#now, this.#now - before < stoppedAfter * this.#everyMs)) this.stop();
  }
}
