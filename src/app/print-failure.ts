import type { CommandExit } from '../core/command.js';
import { exitCode, Failure, isFailure, type Step } from '../core/failure.js';
import type { Journal } from '../core/ports.js';
import { ruleInWords } from '../core/rules.js';
import { fitted } from '../core/text/layout.js';
import { type Look, type Tone, toned } from '../core/text/look.js';
import { asciiJson, printable } from '../core/text/printable.js';
import { isOutOfFiles, outOfFiles } from '../stores/failures.js';

/** Longest text of one field that is printed. */
const longest = 2048;

const maxCauses = 5;

export interface FailureReport {
  readonly exit: CommandExit;
  /** For stderr, safe for any terminal. */
  readonly lines: readonly string[];
}

/**
 * The failure that ended a run. Once a run is interrupted, later errors are consequences of that; a cancelled command may
 * have more to report, for instance that the server may have acted already.
 */
export function endOf(error: unknown, signal: AbortSignal): unknown {
  const isOwnEnd = isFailure(error, 'interrupted') && isFailure(signal.reason, 'interrupted');
  return signal.aborted && !isOwnEnd ? signal.reason : error;
}

/**
 * What happened, the steps that did not pass, the remedy, and the code in the last line; with `json` one object in one line.
 * Anything but a `Failure` is a bug in this program, and its text is shown only with `verbose`.
 */
export function reportFailure(
  error: unknown,
  options: {
    /** What to do, each way on a line of its own; undefined: the failure's remedy. */
    readonly ways?: readonly string[] | undefined;
    readonly json: boolean;
    readonly verbose: boolean;
    /** What was done until then, oldest first. */
    readonly steps: readonly Step[];
    /** One line, for programs that show stderr to the user. */
    readonly oneLine: boolean;
  },
): FailureReport {
  const failure = error instanceof Failure ? error : isOutOfFiles(error) ? outOfFiles(error) : fault(error);
  const { code, exit } = failure;
  const message = printable(failure.message, longest);
  const ways = (options.ways ?? [failure.remedy]).map((text) => printable(text, longest)).filter((text) => text !== '');
  if (options.json) {
    return {
      exit,
      lines: [
        asciiJson({ error: { code, message, remedy: ways.join('; '), exit, steps: options.steps.map(plainStep) } }),
      ],
    };
  }
  if (options.oneLine) {
    const background = options.verbose ? backgroundOf(error) : [];
    const words = ['postern:', message, ways[0] ?? '', `[${code}, exit ${exit}]`].filter((word) => word !== '');
    return { exit, lines: [...background, words.join(' ')] };
  }
  // With --verbose each step has been shown as it ended.
  const steps = options.verbose ? [] : options.steps.filter((step) => tellsMore(step, failure)).flatMap(stepLines);
  if (code === 'interrupted') return { exit, lines: [...steps, message] }; // who did that needs no code
  return {
    exit,
    lines: [
      ...(options.verbose ? backgroundOf(error) : []),
      ...steps,
      `postern: ${message.replace(/^postern (?=[a-z-]+ )/, '')}`,
      ...ways.map((line) => `         ${line}`),
      `         [${code}, exit ${exit}]`,
    ],
  };
}

/** Does a step say more than the failure's sentence? Not at a wrong address, where the network failed or the user declined. */
function tellsMore(step: Step, { code, exit }: Failure): boolean {
  if (code === 'wrong_address' || code === 'login_not_offered') return false;
  if (step.verdict !== 'failure') return step.verdict === 'warning';
  if (exit === exitCode.network) return step.code !== code;
  return code !== 'interrupted' && !(code === 'denied' && step.name === 'authorization');
}

/** The first words of such lines, and their tones. */
const tones: Readonly<Record<string, Tone>> = {
  'postern:': 'bad',
  failure: 'bad',
  warning: 'warning',
  pass: 'good',
  skipped: 'dim',
  request: 'name',
};

/** Columns before the text of a line: of a failure, a step, a request. */
const margin = 9;

/**
 * Lays out a line for a terminal: text is wrapped below itself, a command that has no room gets its own line, and the first
 * word of a failure, a step or a request is coloured.
 * @param line Printable and already redacted, since wrapping may split a secret.
 */
export function laidOut(line: string, look: Look): readonly string[] {
  const word = line.slice(0, margin).trimEnd();
  const tone = Object.hasOwn(tones, word) ? tones[word] : undefined;
  const [first = '', ...others] = fitted(
    tone === undefined ? line : line.slice(margin).padStart(line.length),
    look.width,
  );
  if (tone !== undefined) return [toned(look, tone, word) + first.slice(word.length), ...others];
  const isAside = /^ {9}(?:\[\w+, exit \d+\]$|[<>] )/.test(line);
  return isAside ? [first, ...others].map((one) => toned(look, 'dim', one)) : [first, ...others];
}

function fault(error: unknown): Failure {
  const name = error instanceof Error ? error.name : typeof error;
  const code = error instanceof Error && 'code' in error ? `, ${String(error.code)}` : '';
  return new Failure({
    code: 'fault',
    exit: exitCode.fault,
    message: `This is a fault of postern itself (${printable(`${name}${code}`, 100)}).`,
    remedy: 'Run it again with --verbose, and report what it prints.',
  });
}

/** The stack of a fault and all causes, printable. */
function backgroundOf(error: unknown): readonly string[] {
  const lines: string[] = [];
  let at = error;
  for (let depth = 0; at instanceof Error && depth < maxCauses; depth += 1) {
    const text = at instanceof Failure ? `${at.name}: ${at.message}` : (at.stack ?? `${at.name}: ${at.message}`);
    const isPrinted = depth === 0 && at instanceof Failure;
    lines.push(...(isPrinted ? [] : text.split('\n').map((line) => `  ${printable(line, longest)}`)));
    at = at.cause;
  }
  return lines;
}

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

/** A step in one line, a note in a second: verdict, name, what was asked, what came, the rule. */
export function stepLines(step: Step): readonly string[] {
  const { name, asked, came, rule, verdict, note } = step;
  const fields = [asked, came].map((text) => printable(text, 500)).filter((text) => text !== '');
  const line = `${verdict.padEnd(7)}  ${printable(name, 60).padEnd(29)}  ${fields.join(' → ')}  [${printable(ruleInWords(rule), 120)}]`;
  return note === undefined ? [line] : [line, `${' '.repeat(9)}${printable(note, 500)}`];
}

/** A step for programs: every text harmless, its rule in words. */
function plainStep({ code: _, ...step }: Step) {
  const texts = Object.entries({ ...step, rule: ruleInWords(step.rule) });
  return Object.fromEntries(
    texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, printable(text, longest)]])),
  );
}
