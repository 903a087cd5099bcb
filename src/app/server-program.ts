import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { systemCode } from '../core/failure.js';
import { printable } from '../core/text/printable.js';
import { programNotStarted } from '../credential/failures.js';
import { LineSplitter } from '../mcp/stdio/line-splitter.js';
import type { ProgramTaker, ServerProgram } from '../mcp/stdio/stdio-client.js';
import { startable } from '../stores/run-program.js';

/** Milliseconds that a server has to end after its stdin is closed, and again after SIGTERM. */
const patience = { usual: 2_000, interrupted: 400 } as const;

/** Longest line of stderr that is shown, in bytes. */
const longestLine = 8_192;

export interface ServerStart {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with each line of its stderr, printable. */
  readonly said: (line: string) => void;
  /** When aborted, the server has less time to end. */
  readonly signal: AbortSignal;
}

/**
 * Starts a program that speaks the protocol on stdin and stdout: without a shell, without our own variables, in a process
 * group of its own, so that no key at the terminal reaches it.
 * @throws Failure `command_not_started`
 */
export async function startServerProgram(start: ServerStart): Promise<ServerProgram> {
  const env = withoutOurs(start.env);
  const options = { env, stdio: 'pipe', detached: process.platform !== 'win32', windowsHide: true } as const;
  try {
    const { file, args, ...how } = startable(start.command, env, process.cwd());
    const child = spawn(file, args, { ...options, ...how });
    await once(child, 'spawn');
    return new RunningServer(child, start);
  } catch (error) {
    throw programNotStarted(start.command[0] ?? '', systemCode(error), error);
  }
}

/** Our variables say where secrets are: other programs do not get them. */
function withoutOurs(env: ServerStart['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^POSTERN_/i.test(name)));
}

class RunningServer implements ServerProgram {
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #ended: Promise<string>;
  /** In case this process ends before it could wait. */
  readonly #kill = () => this.#send('SIGKILL');

  constructor(child: ChildProcess, { said, signal }: ServerStart) {
    this.#child = child;
    this.#signal = signal;
    child.on('error', () => undefined); // a signal sent too late
    child.stdin?.on('error', () => undefined); // it may end before it has read its input
    showLines(child, said);
    this.#ended = new Promise((resolve) => {
      child.once('close', (code, by) => resolve(by ?? `exit code ${code ?? 'unknown'}`));
    });
    process.once('exit', this.#kill);
  }

  listen({ data, ended }: ProgramTaker): void {
    this.#child.stdout?.on('data', data);
    void this.#ended.then(ended);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { stdin } = this.#child;
    if (stdin === null || stdin.destroyed) return;
    const written = new Promise<void>((resolve) => stdin.write(bytes, () => resolve()));
    await Promise.race([written, this.#ended]);
  }

  pause(): void {
    this.#child.stdout?.pause();
  }

  resume(): void {
    this.#child.stdout?.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    this.#child.stdout?.resume(); // a server blocked on its output does not read its stdin
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#endsWithin(this.#signal.aborted ? patience.interrupted : patience.usual)) break;
      this.#send(signal);
    }
    await this.#endsWithin(patience.interrupted);
    this.#child.stdout?.destroy(); // its own children may still hold the other end
    this.#child.stderr?.destroy();
    this.#child.unref();
    process.off('exit', this.#kill);
  }

  async #endsWithin(ms: number): Promise<boolean> {
    return await Promise.race([this.#ended.then(() => true), setTimeout(ms, false, { ref: false })]);
  }

  /** Signals the whole process group. */
  #send(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // all of them have just ended
    }
  }
}

function showLines({ stderr }: ChildProcess, said: (line: string) => void): void {
  const lines = new LineSplitter(longestLine);
  const show = (line: Uint8Array | 'too_long') =>
    said(line === 'too_long' ? '(a line that is too long)' : printable(new TextDecoder().decode(line), longestLine));
  stderr?.on('data', (chunk: Uint8Array) => lines.push(chunk).forEach(show));
  stderr?.once('end', () => lines.finish().forEach(show));
}
