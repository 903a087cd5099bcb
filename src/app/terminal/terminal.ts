import type { Writable } from 'node:stream';
import type { Terminal } from '../../core/ports.js';
import { holdSecret } from '../../core/secret.js';
import { columnsOf, wrapped } from '../../core/text/layout.js';
import { lookOf } from '../../core/text/look.js';
import { asciiJson, printable } from '../../core/text/printable.js';
import { nothingChosen } from '../../core/usage-failures.js';
import { ciOf } from '../../login/browser/browser-availability.js';
import { LineEditor, type Typed } from './line-editor.js';
import { type Keyboard, QuietKeys } from './quiet-keys.js';
import type { Spinner } from './spinner.js';

export interface TerminalOptions {
  readonly stdin: () => Keyboard;
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nonInteractive: boolean;
  /** Results and events are read by a program. */
  readonly json: boolean;
  readonly tell: (line: string) => void;
  readonly spinner: Spinner;
  /** Ctrl-C, which is a key like any other while a question is asked. */
  readonly interrupt: () => void;
}

const bracketedPaste = { on: '\x1b[?2004h', off: '\x1b[?2004l' } as const;

/** Wrong answers to a menu, and then it is no person who types. */
const maxTries = 3;

/** The person at stdin and stderr, when both are terminals and nothing says that nobody is there. */
export function createTerminal(options: TerminalOptions): Terminal {
  const { stderr, env, tell } = options;
  const interactive =
    !options.nonInteractive && ciOf(env) === undefined && stderr.isTTY === true && options.stdin().isTTY === true;
  const typedAhead: Uint8Array[] = [];
  const keys = new QuietKeys(options.stdin, options.interrupt);
  const ask: Terminal['ask'] = async (question, { hidden, signal }) => {
    using _keyboard = keys.leave();
    const typed = await askLine(options, { question: printable(question, 400), hidden, signal, typedAhead });
    if (hidden && typed !== undefined) holdSecret(typed.trim());
    return typed;
  };
  return {
    interactive,
    tell,
    ask,
    listen: (enter) => keys.listen(enter),
    event: (event) => {
      if (options.json) tell(asciiJson(event));
    },
    choose: async (question, choices, signal) => {
      tell(printable(question, 400));
      for (const [index, choice] of choices.entries()) {
        tell(`  ${index + 1}) ${printable(choice, 400)}`);
      }
      for (let tries = 0; tries < maxTries; tries += 1) {
        const typed = await ask(`Number (1 to ${choices.length}) [1]: `, { hidden: false, signal });
        const number = typed === undefined || typed.trim() === '' ? 1 : Number(typed);
        if (Number.isInteger(number) && number >= 1 && number <= choices.length) return number - 1;
        tell(`Type a number from 1 to ${choices.length}.`);
      }
      throw nothingChosen(question);
    },
  };
}

interface Question {
  readonly question: string;
  readonly hidden: boolean;
  readonly signal: AbortSignal;
  readonly typedAhead: Uint8Array[];
}

/** A question that is wider than the terminal, without a break in a word; what is typed stands behind its last line. */
function questionFor(stderr: TerminalOptions['stderr'], question: string): string {
  const { width } = lookOf(stderr, false);
  if (columnsOf(question) < width) return question;
  const [indent = '', end = ''] = [/^ */, / *$/].map((blanks) => blanks.exec(question)?.[0]);
  return `${wrapped(question.trim(), width - end.length, indent.length).join('\n')}${end}`;
}

/** Reads one line in raw mode; whatever ends it, the terminal is then as it was. */
async function askLine(options: TerminalOptions, asked: Question): Promise<string | undefined> {
  const { stderr, interrupt } = options;
  const stdin = options.stdin();
  const { signal, hidden, typedAhead } = asked;
  signal.throwIfAborted();
  using _hidden = options.spinner.hide();
  const editor = new LineEditor();
  stdin.setRawMode?.(true); // before the question: from then on nothing typed is echoed
  stderr.write(`${bracketedPaste.on}${questionFor(stderr, asked.question)}`);
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      const take = (bytes: Uint8Array) => settle(editor.push(bytes));
      const settle = (typed: Typed) => {
        if (typed.kind === 'more') {
          if (!hidden && typed.echo !== '') stderr.write(typed.echo);
          return;
        }
        stdin.off('data', take).off('end', ended).off('error', ended);
        signal.removeEventListener('abort', aborted);
        if (typed.kind === 'interrupt') {
          interrupt();
          reject(signal.reason ?? new Error('interrupted'));
        } else {
          resolve(typed.kind === 'line' ? typed.line : undefined);
        }
      };
      const ended = () => settle({ kind: 'end' });
      const aborted = () => {
        stdin.off('data', take).off('end', ended).off('error', ended);
        reject(signal.reason);
      };
      signal.addEventListener('abort', aborted, { once: true });
      stdin.on('data', take).once('end', ended).once('error', ended);
      for (const bytes of typedAhead.splice(0)) {
        take(bytes);
      }
      stdin.resume();
    });
  } finally {
    typedAhead.push(editor.rest);
    stdin.pause();
    stdin.setRawMode?.(false);
    stderr.write(`${bracketedPaste.off}\n`);
  }
}
