/** What can be in an active set; it may be in one at a time. */
export interface Active {
  /** Its place there; the set's business. */
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

  /** Those that are there now; who comes and goes meanwhile does no harm. */
  all(): readonly T[] {
    return [...this.#all];
  }
}

/** A look is late, since this process was stopped, after so many times the usual. */
const lateAfter = 5;

/** Looks now and then at whatever is under way: one timer for all of it, and none while there is nothing. */
export class Lookout {
  readonly #everyMs: number;
  readonly #look: (now: number, isOnTime: boolean) => boolean;
  #timer: NodeJS.Timeout | undefined;
  #now = 0;

  /**
   * @param look False: there is nothing to look at any more. `isOnTime`: this process was not stopped meanwhile; if it
   *   was, what has come is still unread, and who is late is seen next time.
   */
  constructor(everyMs: number, look: (now: number, isOnTime: boolean) => boolean) {
    this.#everyMs = everyMs;
    this.#look = look;
  }

  /** When it looked last, as `performance.now()`. */
  get now(): number {
    return this.#now;
  }

  /** To be called whenever there is something. */
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
    if (!this.#look(this.#now, this.#now - before < lateAfter * this.#everyMs)) this.stop();
  }
}
