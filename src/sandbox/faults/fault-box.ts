import type { Answer } from '../wire/answer.js';
import type { Exchange, Fault } from './fault.js';
import { allFaults } from './table.js';

/** The faults that are switched on now. */
export class FaultBox {
  #active: readonly Fault[] = [];

  /** @throws RangeError for a name that is not in the table */
  constructor(names: readonly string[]) {
    this.set(names);
  }

  /** Replaces the faults that are on; their counters begin anew. @throws RangeError as the constructor */
  set(names: readonly string[]): void {
    const table = allFaults();
    const unknown = names.find((name) => !table.some((fault) => fault.name === name));
    if (unknown !== undefined) throw new RangeError(`there is no fault named ${unknown}`);
    this.#active = table.filter((fault) => names.includes(fault.name));
  }

  isOn(name: string): boolean {
    return this.#active.some((fault) => fault.name === name);
  }

  /** The answer that a fault gives before the request is looked at. */
  instead(exchange: Exchange): Answer | undefined {
    for (const fault of this.#active) {
      const answer = fault.instead?.(exchange);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  /** The honest answer, changed by every fault that is on. */
  async rewrite(exchange: Exchange, answer: Answer): Promise<Answer> {
    let changed = answer;
    for (const fault of this.#active) changed = (await fault.rewrite?.(exchange, changed)) ?? changed;
    return changed;
  }
}
