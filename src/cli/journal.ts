import type { Journal } from '../ports.js';
import type { Step } from '../primitives/step.js';
import { stepLines } from './words/step-line.js';

/** Keeps every step; with `show` each is printed as it ends. */
export function createJournal(options: {
  readonly show: ((line: string) => void) | undefined;
  readonly colour: boolean;
  /** Called after each. */
  readonly recorded: () => void;
}): Journal {
  const steps: Step[] = [];
  return {
    steps,
    record: (step) => {
      steps.push(step);
      for (const line of options.show === undefined ? [] : stepLines(step, options.colour)) {
        options.show?.(line);
      }
      options.recorded();
    },
  };
}
