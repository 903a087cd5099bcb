import type { Signals } from '../ports/process.js';

/** The signals of this process, and who takes them for his own. */
export interface OwnSignals extends Signals {
  /** Gives a signal to the last who takes signals; false when nobody wants it. */
  offer(signal: NodeJS.Signals): boolean;
}

export function createSignals(): OwnSignals {
  const takers: ((signal: string) => boolean)[] = [];
  return {
    offer: (signal) => takers.at(-1)?.(signal) ?? false,
    take: (taker) => {
      takers.push(taker);
      return { [Symbol.dispose]: () => void takers.splice(takers.indexOf(taker), 1) };
    },
  };
}
