import type { WireExchange } from '../../ports/bridging.js';

/** What holds less does not count: most answers are small, and there are not so many of them at a time. In bytes. */
const little = 4_096;

/**
 * Bounds what all answers under way hold together. Beyond it only the one that has held the longest is read on; the
 * others wait until it has ended, so that there always is one that gets on.
 */
export class MemoryBudget {
  readonly #most: number;
  readonly #held = new Map<WireExchange, number>();
  readonly #paused = new Set<WireExchange>();
  #total = 0;

  /** @param most Bytes that may be held together. */
  constructor(most: number) {
    this.#most = most;
  }

  /** From now on this one holds so many bytes. */
  hold(exchange: WireExchange, bytes: number): void {
    const before = this.#held.get(exchange) ?? 0;
    if (bytes === before || (bytes < little && before === 0)) return;
    if (bytes === 0) {
      this.release(exchange);
      return;
    }
    this.#held.set(exchange, bytes);
    this.#total += bytes - before;
    if (this.#total <= this.#most) {
      this.#goOn();
      return;
    }
    const [first] = this.#held.keys();
    if (exchange !== first) {
      this.#paused.add(exchange);
      exchange.pause();
    }
  }

  release(exchange: WireExchange): void {
    const held = this.#held.get(exchange);
    if (held === undefined) return;
    this.#total -= held;
    this.#held.delete(exchange);
    this.#paused.delete(exchange);
    this.#goOn();
  }

  #goOn(): void {
    if (this.#paused.size === 0) return;
    const waiting = this.#total <= this.#most ? [...this.#paused] : [...this.#held.keys()].slice(0, 1);
    for (const one of waiting) {
      if (this.#paused.delete(one)) one.resume();
    }
  }
}
