import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { systemCode } from '../core/failure.js';
import type { Signals } from '../core/ports.js';
import type { Secret } from '../core/secret.js';
import { startable } from '../stores/run-program.js';
import { programNotStarted } from './failures.js';

/** Passed on beside those that end this program; SIGUSR1 would open Node's debugger here. */
const alsoPassedOn = ['SIGUSR1', 'SIGUSR2', 'SIGQUIT', 'SIGCONT'] as const;

/** Keys at a terminal send these to every program in its foreground. */
const fromKeys: ReadonlySet<string> = new Set(['SIGINT', 'SIGQUIT']);

/** Other programs, on our own stdin, stdout and stderr. No part of `Ports`: only `exec` starts what a person names. */
export interface Programs {
  /**
   * Runs a program, without a shell, to its end: its exit code, or 128 + n when signal n ended it. It inherits our
   * environment with `secrets` put in; signals that come meanwhile are the program's.
   * @throws Failure `command_not_started`
   */
  run(start: {
    readonly program: string;
    readonly args: readonly string[];
    readonly secrets: Readonly<Record<string, Secret>>;
  }): Promise<number>;
}

/** Programs, and what this process has to know about the last one. */
export interface OwnPrograms extends Programs {
  /** The signal that ended it. */
  readonly endedBy: NodeJS.Signals | undefined;
}

/** @param env What a program inherits. */
export function createPrograms(env: Readonly<Record<string, string | undefined>>, signals: Signals): OwnPrograms {
  let endedBy: NodeJS.Signals | undefined;
  return {
    get endedBy() {
      return endedBy;
    },
    run: async ({ program, args, secrets }) => {
      const { spawn } = await import('node:child_process');
      const revealed = Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()] as const);
      let child: ChildProcess | undefined;
      const passOn = (name: string): boolean => {
        const signal = name as NodeJS.Signals;
        if (!(fromKeys.has(signal) && hasTerminal())) child?.kill(signal);
        return true;
      };
      // Before the program runs: what it says of itself may be answered with a signal at once.
      using _taken = signals.take(passOn);
      const others = process.platform === 'win32' ? [] : alsoPassedOn;
      for (const signal of others) process.on(signal, passOn);
      try {
        const own = { ...env, ...Object.fromEntries(revealed) };
        const { file, args: words, ...how } = startable([program, ...args], own, process.cwd());
        const started = spawn(file, words, { ...how, env: own, stdio: 'inherit' });
        child = started;
        return await new Promise<number>((resolve, reject) => {
          started.once('error', (error) => {
            // Later on it only says that a signal could not be passed to a program that has just ended.
            if (started.pid === undefined) reject(error);
          });
          started.once('exit', (code, signal) => {
            endedBy = signal ?? undefined;
            resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
          });
        });
      } catch (error) {
        throw programNotStarted(program, systemCode(error), error);
      } finally {
        for (const signal of others) process.off(signal, passOn);
      }
    },
  };
}

/** Is there a terminal that this process, and whatever it starts, belongs to? On Windows there is always a console. */
function hasTerminal(): boolean {
  if (process.platform === 'win32') return true;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
