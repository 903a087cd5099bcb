/** What can stand in a roster; it may stand in one at a time. */
export interface Listed {
  /** Its place there; the roster's business. */
  listedAt: number;
}

/**
 * Those that are under way now, in no order. A `Set` would do, but V8 keeps alive what has been in one whose members
 * change all the time: each of its tables refers to the next one, and the first of them has grown old.
 */
export class Roster<T extends Listed> {
  readonly #all: T[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(one: T): void {
    one.listedAt = this.#all.push(one) - 1;
  }

  /** False when it was not there. */
  remove(one: T): boolean {
    if (this.#all[one.listedAt] !== one) return false;
    const last = this.#all.pop();
    if (last !== undefined && last !== one) {
      this.#all[one.listedAt] = last;
      last.listedAt = one.listedAt;
    }
    return true;
  }

  /** Those that are there now; who comes and goes meanwhile does no harm. */
  all(): readonly T[] {
    return [...this.#all];
  }
}
