import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Home } from './home.js';
import { repositoryRoot } from './repository.js';

/** How a program ended and all that it wrote. */
export interface Finished {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. Leaving the scope kills it, if it still runs, and waits for its end. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  readonly stdin: NodeJS.WritableStream;
  /** What it has written so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** The first match in stdout or stderr. Rejects when the program ends without one, or after 60 s. */
  waitForStdout(pattern: RegExp): Promise<RegExpExecArray>;
  waitForStderr(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  /** Reads no more of stdout, as a reader that has gone. */
  closeStdout(): void;
  readonly finished: Promise<Finished>;
}

/** The launcher that `npm install` puts on the PATH as `postern`; it starts the built program. */
export const launcher = join(repositoryRoot, 'bin', 'postern.js');

/** The whole command line of `postern` with these arguments. */
export function programCommand(args: readonly string[]): [command: string, ...args: string[]] {
  return [process.execPath, launcher, ...args];
}

const longestWaitMs = 60_000;

/** Starts the real built `postern` in `home`, without a terminal, stdin an open pipe. */
export function startProgram(home: Home, args: readonly string[]): Running {
  const [command, ...rest] = programCommand(args);
  return startCommand(command, rest, home);
}

/** Runs `postern` to its end, with `input` as its whole stdin. */
export async function runProgram(home: Home, args: readonly string[], input = ''): Promise<Finished> {
  await using program = startProgram(home, args);
  program.stdin.end(input);
  return await program.finished;
}

/** Starts any command in `home`, its working folder there, with no more of an environment than `home.env`. */
export function startCommand(command: string, args: readonly string[], home: Home): Running {
  const child = spawn(command, args, { cwd: home.path, env: home.env, stdio: 'pipe' });
  child.stdin.on('error', () => undefined); // the program may end before it has read its input
  const wrote = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      wrote[name] += text;
      child.emit('wrote');
    });
  }
  const finished = once(child, 'close').then(([code, signal]) => {
    child.emit('wrote');
    return { code, signal, ...wrote } as Finished;
  });
  return {
    pid: child.pid ?? -1,
    stdin: child.stdin,
    get stdout() {
      return wrote.stdout;
    },
    get stderr() {
      return wrote.stderr;
    },
    waitForStdout: (pattern) => waitFor(child, () => pattern.exec(wrote.stdout), describe(pattern, wrote)),
    waitForStderr: (pattern) => waitFor(child, () => pattern.exec(wrote.stderr), describe(pattern, wrote)),
    kill: (signal) => child.kill(signal),
    closeStdout: () => void child.stdout.destroy(),
    finished,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await finished.catch(() => undefined);
    },
  };
}

function describe(pattern: RegExp, wrote: { stdout: string; stderr: string }): () => string {
  return () => `nothing like ${pattern} was written\nstdout: ${wrote.stdout}\nstderr: ${wrote.stderr}`;
}

function waitFor<T>(child: ChildProcess, look: () => T | null, complaint: () => string): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(limit);
      child.off('wrote', check).off('close', ended).off('error', reject);
      act();
    };
    const check = (): void => {
      const found = look();
      if (found !== null) settle(() => resolve(found));
    };
    const ended = (): void => {
      const found = look();
      settle(() => (found === null ? reject(new Error(`ended: ${complaint()}`)) : resolve(found)));
    };
    const limit = setTimeout(
      () => settle(() => reject(new Error(`waited ${longestWaitMs} ms: ${complaint()}`))),
      longestWaitMs,
    );
    child.on('wrote', check).once('close', ended).once('error', reject);
    if (child.exitCode !== null || child.signalCode !== null) ended();
    else check();
  });
}
