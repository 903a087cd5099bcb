import { EventEmitter } from 'node:events';
import type { Finished } from '../support/program.js';
import type { FromAgent } from './messages.js';

/** A program that runs on Windows. */
export interface WindowsProgram extends AsyncDisposable {
  readonly stdout: string;
  readonly stderr: string;
  /** The first match. Rejects when the program ends without one, or after 60 s. */
  waitFor(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray>;
  write(text: string | Uint8Array): void;
  end(text?: string | Uint8Array): void;
  /** Ends it at once: Windows has no signals. */
  kill(): void;
  readonly finished: Promise<Finished>;
}

/** What tells the agent to act on one program. */
export interface Commands {
  input(bytes: string): void;
  end(): void;
  kill(): void;
}

const longestWaitMs = 60_000;

export class AgentProgram implements WindowsProgram {
  readonly finished: Promise<Finished>;
  readonly #events = new EventEmitter();
  readonly #pieces: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  readonly #commands: Commands;
  #hasEnded = false;

  constructor(commands: Commands) {
    this.#commands = commands;
    this.finished = new Promise((resolve, reject) => {
      this.#events.once('ended', resolve).once('failed', reject);
    });
    this.finished.catch(() => undefined);
  }

  get stdout(): string {
    return Buffer.concat(this.#pieces.stdout).toString();
  }

  get stderr(): string {
    return Buffer.concat(this.#pieces.stderr).toString();
  }

  take(message: FromAgent): void {
    if ('stream' in message) this.#pieces[message.stream].push(Buffer.from(message.bytes, 'base64'));
    else if ('error' in message) this.fail(new Error(message.error));
    else {
      this.#hasEnded = true;
      const { code, signal } = message;
      this.#events.emit('ended', { code, signal, stdout: this.stdout, stderr: this.stderr });
    }
    this.#events.emit('change');
  }

  fail(error: Error): void {
    this.#hasEnded = true;
    this.#events.emit('failed', error);
    this.#events.emit('change');
  }

  async waitFor(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    return await new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(limit);
        this.#events.off('change', look);
        act();
      };
      const complain = (why: string) => {
        const wrote = `stdout: ${this.stdout}\nstderr: ${this.stderr}`;
        settle(() => reject(new Error(`${why}: nothing like ${pattern} was written\n${wrote}`)));
      };
      const look = () => {
        const found = pattern.exec(this[stream]);
        if (found !== null) settle(() => resolve(found));
        else if (this.#hasEnded) complain('ended');
      };
      const limit = setTimeout(() => complain(`waited ${longestWaitMs} ms`), longestWaitMs);
      this.#events.on('change', look);
      look();
    });
  }

  write(text: string | Uint8Array): void {
    this.#commands.input(Buffer.from(text as string).toString('base64'));
  }

  end(text?: string | Uint8Array): void {
    if (text !== undefined) this.write(text);
    this.#commands.end();
  }

  kill(): void {
    this.#commands.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasEnded) this.kill();
    await this.finished.catch(() => undefined);
  }
}
