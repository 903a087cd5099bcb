import type { CommandExit } from '../core/command.js';
import type { Step } from '../core/failure.js';
import { exitCode, Failure, type FailureDetail } from '../core/failure.js';
import { asciiJson, printable } from '../core/text/printable.js';
import { isOutOfFiles, outOfFiles } from '../stores/state-failures.js';
import { stepLines } from './journal.js';
import { inSource } from './source-lines.js';

/** Longest text of one field that is printed. */
const longest = 2048;

const maxCauses = 5;

export interface FailureReport {
  readonly exit: CommandExit;
  /** For stderr, safe for any terminal. */
  readonly lines: readonly string[];
}

/**
 * Turns whatever was thrown into what the person reads, in this one place: what happened, the steps that did not pass,
 * the remedy, and in the last line the code; with `json` one object in one line. Whatever is no `Failure` is a fault of
 * this program; its text is shown only with `verbose`, since nobody chose its words.
 */
export function reportFailure(
  error: unknown,
  options: {
    readonly json: boolean;
    readonly verbose: boolean;
    readonly colour: boolean;
    /** What was done until then, oldest first. */
    readonly steps: readonly Step[];
    /** All in one line, for a program that shows stderr to somebody, perhaps. */
    readonly oneLine: boolean;
  },
): FailureReport {
  const failure = error instanceof Failure ? error : isOutOfFiles(error) ? outOfFiles(error) : fault(error);
  const { code, exit } = failure;
  const [message, remedy] = [failure.message, failure.remedy].map((text) => printable(text, longest));
  if (options.json) {
    return {
      exit,
      lines: [asciiJson({ error: { code, message, remedy, exit, steps: options.steps.map(plainStep) } })],
    };
  }
  if (options.oneLine) {
    const background = options.verbose ? backgroundOf(error) : [];
    return { exit, lines: [...background, `postern: ${message} ${remedy} [${code}, exit ${exit}]`] };
  }
  // With --verbose each step has been shown as it ended.
  const steps = options.verbose
    ? []
    : options.steps.filter(({ verdict }) => verdict === 'failure' || verdict === 'warning');
  return {
    exit,
    lines: [
      ...(options.verbose ? backgroundOf(error) : []),
      ...steps.flatMap((step) => stepLines(step, options.colour)),
      `postern: ${message}`,
      `         ${remedy}`,
      `         [${code}, exit ${exit}]`,
    ],
  };
}

function fault(error: unknown): FailureDetail {
  const name = error instanceof Error ? error.name : typeof error;
  const code = error instanceof Error && 'code' in error ? `, ${String(error.code)}` : '';
  return {
    code: 'fault',
    exit: exitCode.fault,
    message: `This is a fault of postern itself (${printable(`${name}${code}`, 100)}).`,
    remedy: 'Run it again with --verbose, and report what it prints.',
  };
}

/** The stack of a fault, and the causes of either kind, every line made harmless. */
function backgroundOf(error: unknown): readonly string[] {
  const lines: string[] = [];
  let at = error;
  for (let depth = 0; at instanceof Error && depth < maxCauses; depth += 1) {
    const text =
      at instanceof Failure ? `${at.name}: ${at.message}` : inSource(at.stack ?? `${at.name}: ${at.message}`);
    const isPrinted = depth === 0 && at instanceof Failure;
    lines.push(...(isPrinted ? [] : text.split('\n').map((line) => `  ${printable(line, longest)}`)));
    at = at.cause;
  }
  return lines;
}

function plainStep(step: Step): Step {
  const { name, asked, came, rule, verdict, note } = step;
  const plain = (text: string) => printable(text, longest);
  return {
    name: plain(name),
    asked: plain(asked),
    came: plain(came),
    rule: plain(rule),
    verdict,
    ...(note === undefined ? {} : { note: plain(note) }),
  };
}
