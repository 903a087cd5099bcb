import type { Step } from '../core/failure.js';
import type { Journal } from '../core/ports.js';
import { ruleInWords } from '../core/rules.js';
import { asciiJson, printable } from '../core/text/printable.js';

/** Keeps every step; with `show` each is printed as it ends: in words, or with `json` as a line for programs. */
export function createJournal(options: {
  readonly show: ((line: string) => void) | undefined;
  readonly json: boolean;
  /** Called after each. */
  readonly recorded: () => void;
}): Journal {
  const steps: Step[] = [];
  const { show, json } = options;
  return {
    steps,
    record: (step) => {
      steps.push(step);
      if (show !== undefined)
        for (const line of json ? [asciiJson({ step: plainStep(step) })] : stepLines(step)) show(line);
      options.recorded();
    },
  };
}

/** Longest text of one field, whoever wrote it. */
const longestField = 500;

/** A step in one line, a note in a second: verdict, name, what was asked, what came, the rule. */
export function stepLines(step: Step): readonly string[] {
  const { name, asked, came, rule, verdict, note } = step;
  const fields = [asked, came].map((text) => printable(text, longestField)).filter((text) => text !== '');
  const line = `${verdict.padEnd(7)}  ${printable(name, 60).padEnd(29)}  ${fields.join(' → ')}  [${printable(ruleInWords(rule), 120)}]`;
  return note === undefined ? [line] : [line, `${' '.repeat(9)}${printable(note, longestField)}`];
}

/** Longest text of one field for programs. */
const longest = 2048;

/** A step for programs: every text harmless, its rule in words. */
export function plainStep(step: Step): Step {
  const { name, asked, came, rule, verdict, note } = step;
  const plain = (text: string) => printable(text, longest);
  return {
    name: plain(name),
    asked: plain(asked),
    came: plain(came),
    rule: plain(ruleInWords(rule)),
    verdict,
    ...(note === undefined ? {} : { note: plain(note) }),
  };
}
