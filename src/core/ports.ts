import { Failure, type Step } from './failure.js';
import type { Limits } from './limits.js';
import type { LoginRecord } from './records.js';

/** Time. `now` is wall-clock milliseconds since 1970; `monotonic` never jumps back. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Resolves after `ms` (at most 24 h), rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A person at a terminal. Everything it shows goes to stderr. */
export interface Terminal {
  /** False without a terminal, with `--non-interactive`, or in CI: then `ask` and `choose` are not called. */
  readonly interactive: boolean;
  /** Shows a line to the person (not a result). */
  tell(line: string): void;
  /** One line typed; `hidden` for secrets and pasted URLs; undefined at end of input. */
  ask(
    question: string,
    options: { readonly hidden: boolean; readonly signal: AbortSignal },
  ): Promise<string | undefined>;
  /** Index of the choice. */
  choose(question: string, choices: readonly string[], signal: AbortSignal): Promise<number>;
  /** Until disposed of, keys are not echoed, and `enter` is called for Enter. A question goes before it. */
  listen(enter: () => void): Disposable;
  /** With `--json`: one line for the program that reads it; else nothing. */
  event(event: Readonly<Record<string, string>>): void;
}

/** Takes each step of the engine as it ends. */
export interface Journal {
  record(step: Step): void;
  /** Every step so far, oldest first. */
  readonly steps: readonly Step[];
}

/**
 * Does the work of a step. A request that fails is a step that was taken, too: it is recorded.
 * @throws whatever the work throws
 */
export async function takeStep<Result>(
  { journal }: { readonly journal: Journal },
  step: Pick<Step, 'name' | 'asked' | 'rule'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) {
      journal.record({ ...step, came: error.code.replaceAll('_', ' '), verdict: 'failure' });
    }
    throw error;
  }
}

/** A step that has begun and takes time, for the spinner; ends with the next recorded step. */
export interface Progress {
  begin(what: string): void;
  end(): void;
}

/** Files that the person named on the command line, and stdin. No part of `Ports`: flows get bytes, not paths. */
export interface Files {
  /** True when stdin is a terminal: then nothing waits there to be read. */
  readonly stdinIsTerminal: boolean;
  /** A file's bytes in chunks. @throws Failure `file_unreadable` while it is read */
  read(path: string): AsyncIterable<Uint8Array>;
  /** May other users of this machine read that file? False where there is none, or where the system cannot tell. */
  isOpenToOthers(path: string): Promise<boolean>;
  /** The bytes of stdin; can be read once. @throws Failure `file_unreadable` while it is read */
  stdin(): AsyncIterable<Uint8Array>;
  /** Makes or replaces a file, as the bytes come. @throws Failure `file_unwritable`, or what `chunks` throws */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes a folder, and those above it, where there is none. @throws Failure `file_unwritable` */
  makeFolder(path: string): Promise<void>;
  /** Writes to a descriptor that our parent has opened for us, and closes it. @throws Failure `ready_fd_unusable` */
  tellReady(descriptor: number, text: string): Promise<void>;
}

/** This program, as others are to start it. */
export interface OwnProgram {
  readonly platform: string;
  /** Absolute paths. */
  readonly program: readonly [node: string, script: string];
  /** What has to be set for it to find the same logins with an empty environment. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Makes a file that starts it, for this user alone, in a folder that exists; or replaces one that has `mark` in its
   * second line. Returns its absolute path. @throws Failure `shim_refused`, `file_unwritable`
   */
  writeShim(path: string, text: string, mark: string): Promise<string>;
}

/** What the system sends to end, or to tell, this process. */
export interface Signals {
  /** Until disposed, asks `taker` first; what it returns `true` for has no other effect. */
  take(taker: (signal: string) => boolean): Disposable;
}

/**
 * Gets a better login when the one at hand does not do: `scopes` are those the server wants beside the held ones,
 * none when the login is no longer valid. Absent, or undefined in the end: nobody may be asked (for that). `begin` is to
 * be called when the person has said yes and a login page is really about to be opened: it counts against the budget of
 * the hour, and throws when that is used up.
 */
export type Relogin = (
  login: LoginRecord,
  scopes: readonly string[],
  begin: () => Promise<void>,
) => Promise<LoginRecord | undefined>;

/** What of a command line says how the login page gets before the person. */
export interface BrowserOptions {
  readonly browser: boolean;
  readonly noBrowser: boolean;
}

/** How a command gets a login from a person; `app` joins it to `login/`. */
export interface Logins {
  /** The login that is meant; where there is none for that URL, a new one. @throws Failure of `findLogin` and of the login */
  findOrMake(
    wanted: BrowserOptions & { readonly server: string; readonly account: string | undefined },
  ): Promise<LoginRecord>;
  /**
   * In the middle of a command that a person typed: with `login` without a question; without it only more scope, after a
   * yes at the terminal. Undefined where nobody can be asked.
   */
  relogin(options: BrowserOptions & { readonly login: boolean }): Relogin | undefined;
  /** For requests of programs: whatever they cause, no person has typed it. Undefined where nobody can be reached. */
  reloginForPrograms(options: BrowserOptions): Relogin | undefined;
  /**
   * For a program that runs beside others, and whose stdin is not the person's: in the browser, nothing is asked here.
   * Undefined where there is none.
   */
  inBackground(wanted: {
    readonly server: string;
    readonly account: string | undefined;
  }): LoginInBackground | undefined;
}

/** Makes the login, or one with more scope than the one that is held; `begin` as for `Relogin`. */
export type LoginInBackground = (
  held: LoginRecord | undefined,
  scopes: readonly string[],
  begin: () => Promise<void>,
) => Promise<LoginRecord>;

/** A server out of another program's configuration. */
export interface OfferedServer {
  readonly name: string;
  readonly url: string;
  /** A short name for the login, where one can be made of the program's. */
  readonly loginName: string | undefined;
  /** Is there a login for it already? */
  readonly hasLogin: boolean;
}

/**
 * The servers in the configuration that a program keeps for this person, each once; `app` joins it to `setup/`.
 * @throws Failure `program_unknown`, `usage`, `program_file_unusable`, also where a file is broken: then it is not said to
 * name no server
 */
export type FindServers = (program: string, logins: readonly LoginRecord[]) => Promise<OfferedServers>;

/** What of a program's configuration was looked at, and what was in it. */
export interface OfferedServers {
  /** The program, as people call it. */
  readonly title: string;
  readonly files: readonly string[];
  readonly servers: readonly OfferedServer[];
}

/** What is small and needed everywhere. */
export interface CorePorts {
  /** How long and how much is allowed: what the person has set, else the usual. @throws Failure `configuration_unusable` */
  readonly limits: () => Promise<Limits>;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly journal: Journal;
  readonly progress: Progress;
}
