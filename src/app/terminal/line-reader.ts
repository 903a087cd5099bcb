import { clearScreenDown, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { Writable } from 'node:stream';
import type { LineReader, LineReaderOptions } from '../../call/shell/shell.command.js';
import type { Keyboard } from './keyboard.js';
import { readLine } from './terminal.js';

/** Most lines that the arrow keys go back to. */
const maxHistory = 500;

/** Why a prompt was closed: it comes again. */
const left = Symbol('left');

/** A prompt at the terminal; between two lines the terminal is as it was. */
export class TerminalLineReader implements LineReader {
  readonly #stdin: Keyboard;
  readonly #screen: Writable;
  readonly #options: LineReaderOptions;
  readonly #ahead = { keys: '' };
  /** The newest first. */
  #history: readonly string[];
  #editor: Interface | undefined;
  #leaving = new AbortController();
  #closed: Promise<unknown> = Promise.resolve();
  /** What has the keyboard in place of the prompt. */
  #aside: Promise<unknown> = Promise.resolve();

  constructor(stdin: Keyboard, screen: Writable, options: LineReaderOptions) {
    this.#stdin = stdin;
    this.#screen = screen;
    this.#options = options;
    this.#history = options.history;
  }

  async next(): Promise<string | undefined> {
    for (;;) {
      await this.#aside;
      const reading = this.#read();
      this.#closed = reading.catch(() => undefined);
      try {
        const line = await reading;
        if (line?.trim()) this.#history = [line, ...this.#history.filter((one) => one !== line)].slice(0, maxHistory);
        return line;
      } catch (error) {
        if (error !== left) throw error;
      } finally {
        this.#editor = undefined;
      }
    }
  }

  async #read(): Promise<string | undefined> {
    const { prompt, signal, complete, nothingToCancel } = this.#options;
    this.#leaving = new AbortController();
    return await readLine({
      ...{ stdin: this.#stdin, screen: this.#screen, question: prompt, hidden: false, ahead: this.#ahead },
      signal: AbortSignal.any([signal, this.#leaving.signal]),
      interrupted: (typed) => {
        this.#screen.write('^C');
        if (typed === '') this.#aside = this.#closed.then(nothingToCancel);
        return left;
      },
      commands: {
        history: [...this.#history],
        historySize: maxHistory,
        completer: (line: string, give: (error: null, found: [string[], string]) => void) => {
          complete(line).then(
            ([fitting, part]) => give(null, [[...fitting], part]),
            () => give(null, [[], line]),
          );
        },
        opened: (editor) => {
          this.#editor = editor;
        },
      },
    });
  }

  above(show: () => void): void {
    const editor = this.#editor;
    if (editor === undefined) {
      show();
      return;
    }
    const { rows } = editor.getCursorPos();
    moveCursor(this.#screen, 0, -rows);
    cursorTo(this.#screen, 0);
    clearScreenDown(this.#screen);
    show();
    this.#screen.write('\n'.repeat(rows)); // the editor goes up by as many rows at most
    editor.prompt(true);
  }

  async aside<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#editor === undefined) return await work();
    this.#editor = undefined;
    this.#leaving.abort(left);
    const done = this.#closed.then(work);
    this.#aside = done.catch(() => undefined);
    return await done;
  }
}
