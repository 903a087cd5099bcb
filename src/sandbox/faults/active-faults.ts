import type { SentResponse } from '../wire/response.js';
import type { Exchange, Fault } from './fault.js';
import { allFaults } from './table.js';

/** The faults that are switched on now. */
export class ActiveFaults {
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

  /** The response that a fault gives before the request is looked at. */
  instead(exchange: Exchange): SentResponse | undefined {
    for (const fault of this.#active) {
      const response = fault.instead?.(exchange);
      if (response !== undefined) return response;
    }
    return undefined;
  }

  /** The honest response, changed by every fault that is on. */
  async rewrite(exchange: Exchange, reply: SentResponse): Promise<SentResponse> {
    let changed = reply;
    for (const fault of this.#active) changed = (await fault.rewrite?.(exchange, changed)) ?? changed;
    return changed;
  }
}
