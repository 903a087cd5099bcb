import type { Answer } from '../wire/answer.js';
import { type Exchange, type Fault, faults } from './table.js';

/** The faults that are switched on now. */
export class FaultBox {
  #active: readonly Fault[];

  /** @throws RangeError for a name that is not in the table */
  constructor(names: readonly string[]) {
    this.#active = named(names);
  }

  /** Replaces the faults that are on. @throws RangeError for a name that is not in the table */
  set(names: readonly string[]): void {
    this.#active = named(names);
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
  rewrite(exchange: Exchange, answer: Answer): Answer {
    return this.#active.reduce((changed, fault) => fault.rewrite?.(exchange, changed) ?? changed, answer);
  }
}

function named(names: readonly string[]): readonly Fault[] {
  return names.map((name) => {
    const fault = faults().find((one) => one.name === name);
    if (fault === undefined) throw new RangeError(`there is no fault named ${name}`);
    return fault;
  });
}
