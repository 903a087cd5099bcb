import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { Writable } from 'node:stream';
import type { LineReader, LineReaderOptions } from '../../call/shell/shell.command.js';
import type { Keyboard } from './keyboard.js';

/** Most lines that the arrow keys go back to. */
const maxHistory = 500;

/** A prompt at the terminal, on Node's own line editor; between two lines the terminal is as it was. */
export class TerminalLineReader implements LineReader {
  readonly #stdin: Keyboard;
  readonly #screen: Writable;
  readonly #options: LineReaderOptions;
  /** The newest first. */
  #history: string[];
  /** Lines that were typed ahead, and the text begun after them. */
  #waiting: string[] = [];
  #begun = '';
  #editor: Interface | undefined;
  /** Resumes editing after something else had the keyboard. */
  #edit: (() => void) | undefined;

  constructor(stdin: Keyboard, screen: Writable, options: LineReaderOptions) {
    this.#stdin = stdin;
    this.#screen = screen;
    this.#options = options;
    this.#history = [...options.history];
  }

  async next(): Promise<string | undefined> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      this.#screen.write(`${this.#options.prompt}${waiting}\n`);
      return this.#note(waiting);
    }
    let stop = () => undefined as unknown;
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        stop = () => reject(signal.reason);
        signal.addEventListener('abort', stop, { once: true });
        this.#edit = () => this.#begin(resolve);
        this.#edit();
      });
    } finally {
      signal.removeEventListener('abort', stop);
      this.#edit = undefined;
      this.#close();
    }
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
    this.#screen.write('\n'.repeat(rows)); // the editor goes up by as many
    editor.prompt(true);
  }

  async aside<Result>(work: () => Promise<Result>): Promise<Result> {
    const edit = this.#edit;
    if (this.#editor === undefined || edit === undefined) return await work();
    this.#begun = this.#editor.line;
    this.#close();
    this.#screen.write('\n');
    try {
      return await work();
    } finally {
      if (this.#edit === edit) edit();
    }
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #begin(done: (line: string | undefined) => void): void {
    const editor = createInterface({
      input: this.#stdin,
      output: this.#screen,
      terminal: true,
      prompt: this.#options.prompt,
      history: [...this.#history],
      historySize: maxHistory,
      escapeCodeTimeout: 100,
      completer: (line: string, give: (error: null, found: [string[], string]) => void) => {
        this.#options.complete(line).then(
          ([fitting, part]) => give(null, [[...fitting], part]),
          () => give(null, [[], line]),
        );
      },
    });
    this.#editor = editor;
    const lines: string[] = [];
    editor.on('line', (line) => {
      lines.push(line);
      // What was pasted with it comes in the same turn.
      if (lines.length === 1) {
        setImmediate(() => {
          this.#begun = editor.line;
          this.#waiting.push(...lines.slice(1));
          done(this.#note(lines[0] ?? ''));
        });
      }
    });
    editor.on('SIGINT', () => {
      const isEmpty = editor.line === '';
      this.#close();
      this.#screen.write('^C\n');
      if (isEmpty) this.#options.nothingToCancel();
      this.#edit?.();
    });
    editor.once('close', () => {
      if (this.#editor !== editor || lines.length > 0) return;
      this.#screen.write('\n');
      done(undefined);
    });
    editor.prompt();
    if (this.#begun !== '') editor.write(this.#begun);
    this.#begun = '';
  }

  #note(line: string): string {
    if (line.trim() !== '') this.#history = [line, ...this.#history.filter((one) => one !== line)].slice(0, maxHistory);
    return line;
  }

  #close(): void {
    const editor = this.#editor;
    this.#editor = undefined;
    editor?.close();
  }
}
