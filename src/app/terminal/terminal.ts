import { createInterface, type Interface, type ReadLineOptions } from 'node:readline';
import type { Writable } from 'node:stream';
import { nothingChosen } from '../../core/failures.js';
import type { Terminal } from '../../core/ports.js';
import { holdSecret } from '../../core/secret.js';
import { columnsOf, wrapped } from '../../core/text/layout.js';
import { lookOf } from '../../core/text/look.js';
import { asciiJson, printable } from '../../core/text/printable.js';
import { ciOf } from '../../login/browser/browser-availability.js';
import { createEnterKey, type Keyboard } from './keyboard.js';
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

/** After so many wrong answers to a menu, no user is typing. */
const maxTries = 3;

/** The user at stdin and stderr, if both are terminals and questions are allowed. */
export function createTerminal(options: TerminalOptions): Terminal {
  const { stderr, env, tell } = options;
  const interactive =
    !options.nonInteractive && ciOf(env) === undefined && stderr.isTTY === true && options.stdin().isTTY === true;
  const ahead = { keys: '' };
  const enterKey = createEnterKey(options.stdin);
  const ask: Terminal['ask'] = async (text, { hidden, signal }) => {
    using _keyboard = enterKey.leave();
    using _hidden = options.spinner.hide();
    const question = questionFor(stderr, printable(text, 400));
    const typed = await readLine({
      ...{ stdin: options.stdin(), screen: stderr, question, hidden, signal, ahead },
      interrupted: () => {
        options.interrupt();
        return signal.reason ?? new Error('interrupted');
      },
    });
    if (hidden && typed !== undefined) holdSecret(typed.trim());
    return typed;
  };
  return {
    interactive,
    tell,
    ask,
    listen: enterKey.listen,
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

/** A question wider than the terminal, no word broken; typing starts after its last line. */
function questionFor(stderr: TerminalOptions['stderr'], question: string): string {
  const { width } = lookOf(stderr, false);
  if (columnsOf(question) < width) return question;
  const [indent = '', end = ''] = [/^ */, / *$/].map((blanks) => blanks.exec(question)?.[0]);
  return `${wrapped(question.trim(), width - end.length, indent.length).join('\n')}${end}`;
}

/** A line to read. */
export interface Question {
  readonly stdin: Keyboard;
  readonly screen: Writable;
  readonly question: string;
  readonly hidden: boolean;
  readonly signal: AbortSignal;
  /** Keys pressed after the last line, for this one. */
  readonly ahead: { keys: string };
  /** Ctrl-C: what to reject with. */
  readonly interrupted: (typed: string) => unknown;
  /** For a prompt of commands: a pasted line break ends a line. */
  readonly commands?: Pick<ReadLineOptions, 'history' | 'historySize' | 'completer'> & {
    readonly opened: (editor: Interface) => void;
  };
}

/**
 * Reads one line with Node's line editor: the terminal's own cuts it at 4,095 bytes, and a pasted redirect URL may be
 * longer. A pasted line break is part of the answer. The terminal is always restored.
 */
export async function readLine(asked: Question): Promise<string | undefined> {
  const { stdin, screen, question, hidden, signal, ahead, interrupted, commands } = asked;
  signal.throwIfAborted();
  const output = hidden ? {} : { output: screen };
  const { opened, ...more } = commands ?? { opened: () => undefined, historySize: 0 };
  const editor = createInterface({ input: stdin, ...output, ...more, terminal: true, escapeCodeTimeout: 100 });
  const [pasteOn, pasteOff] = commands === undefined ? ['\x1b[?2004h', '\x1b[?2004l'] : ['', ''];
  const pasted: string[] = [];
  const lines: string[] = [];
  let isPasting = false;
  let isInterrupted = false;
  const watchPaste = (_: unknown, { name }: { readonly name?: string }) => {
    if (name === 'paste-start' || name === 'paste-end') isPasting = name === 'paste-start';
  };
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      const aborted = () => reject(signal.reason);
      signal.addEventListener('abort', aborted, { once: true });
      if (commands === undefined) stdin.on('keypress', watchPaste);
      editor.on('line', (line) => {
        if (isPasting) return void pasted.push(line);
        lines.push([...pasted.splice(0), line].join('\n').replace(/\n+$/, ''));
        // What was typed ahead comes in the same turn.
        if (lines.length === 1) setImmediate(() => resolve(lines[0]));
      });
      editor.on('SIGINT', () => {
        isInterrupted = true;
        reject(interrupted(editor.line));
      });
      editor.once('error', () => editor.close());
      editor.once('close', () => {
        signal.removeEventListener('abort', aborted);
        if (lines.length === 0) resolve(undefined);
      });
      if (hidden) screen.write(question);
      editor.setPrompt(hidden ? '' : question);
      editor.prompt();
      screen.write(pasteOn);
      const { keys } = ahead;
      ahead.keys = '';
      if (keys !== '') editor.write(keys);
      opened(editor);
    });
  } finally {
    stdin.off('keypress', watchPaste);
    ahead.keys = isInterrupted ? '' : [...lines.slice(1), editor.line].join('\r');
    editor.close();
    // The editor ends the line that it shows.
    screen.write(hidden || lines.length === 0 ? `${pasteOff}\n` : pasteOff);
  }
}
