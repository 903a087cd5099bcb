import type { Step, Verdict } from '../core/failure.js';
import type { Journal } from '../core/ports.js';
import { printable } from '../core/text/printable.js';

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

/** SGR colours; the word says the same. */
const colours: Readonly<Record<Verdict, string>> = { pass: '32', warning: '33', failure: '31', skipped: '2' };

/** Longest text of one field, whoever wrote it. */
const longestField = 500;

/** A step in one line, a note in a second: verdict, name, what was asked, what came, the rule. */
export function stepLines(step: Step, colour: boolean): readonly string[] {
  const { name, asked, came, rule, verdict, note } = step;
  const word = verdict.padEnd(7);
  const painted = colour ? `\x1b[${colours[verdict]}m${word}\x1b[0m` : word;
  const fields = [asked, came].map((text) => printable(text, longestField)).filter((text) => text !== '');
  const line = `${painted}  ${printable(name, 60).padEnd(29)}  ${fields.join('  ')}  [${printable(rule, 60)}]`;
  return note === undefined ? [line] : [line, `${' '.repeat(9)}${printable(note, longestField)}`];
}
