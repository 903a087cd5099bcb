import type { WireExchange } from './wire.js';

/** What holds less does not count: most responses are small. In bytes. */
const little = 4_096;

/**
 * Bounds what all responses under way hold together. Beyond it only the one that has held the longest is read on; the
 * others wait until it has ended, so that one always gets on.
 */
export class MemoryBudget {
  readonly #max: number;
  readonly #held = new Map<WireExchange, number>();
  readonly #paused = new Set<WireExchange>();
  #total = 0;

  /** @param max Bytes that may be held together. */
  constructor(max: number) {
    this.#max = max;
  }

  hold(exchange: WireExchange, bytes: number): void {
    const before = this.#held.get(exchange) ?? 0;
    if (bytes === before || (bytes < little && before === 0)) return;
    if (bytes === 0) {
      this.release(exchange);
      return;
    }
    this.#held.set(exchange, bytes);
    this.#total += bytes - before;
    const [first] = this.#held.keys();
    if (this.#total <= this.#max) this.#goOn();
    else if (exchange !== first) {
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
    const waiting = this.#total <= this.#max ? [...this.#paused] : [...this.#held.keys()].slice(0, 1);
    for (const one of waiting) {
      if (this.#paused.delete(one)) one.resume();
    }
  }
}
