import type { Secret } from '../primitives/secret.js';

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

/** What the system sends to end, or to tell, this process. No part of `Ports`. */
export interface Signals {
  /** Until disposed, asks `taker` first; what it returns `true` for has no other effect. */
  take(taker: (signal: string) => boolean): Disposable;
}
