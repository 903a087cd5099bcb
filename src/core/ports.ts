import { Failure, type Step } from './failure.js';
import type { Limits } from './limits.js';
import type { BrowserChoice, LoginRecord } from './records.js';
import type { SecretHeader } from './secret.js';

/** Time. `now` is wall-clock milliseconds since 1970; `monotonic` never jumps back. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Resolves after `ms` (at most 24 h), rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The user at a terminal; everything is shown on stderr. */
export interface Terminal {
  /** False without a terminal, with `--non-interactive`, or in CI: then `ask` and `choose` are not called. */
  readonly interactive: boolean;
  /** Prints a line for the user (not a result). */
  tell(line: string): void;
  /** Reads one line; `hidden` for secrets and pasted URLs. Undefined at end of input. */
  ask(
    question: string,
    options: { readonly hidden: boolean; readonly signal: AbortSignal },
  ): Promise<string | undefined>;
  /** Returns the index of the choice. */
  choose(question: string, choices: readonly string[], signal: AbortSignal): Promise<number>;
  /** Until disposed, keys are not echoed and Enter calls `enter`. A question takes precedence. */
  listen(enter: () => void): Disposable;
  /** With `--json`: prints one line for the program that reads stderr. */
  event(event: Readonly<Record<string, string>>): void;
}

/** Records each step of the engine as it ends. */
export interface Journal {
  record(step: Step): void;
  /** Every step so far, oldest first. */
  readonly steps: readonly Step[];
}

/** Runs a step's work and records its failure. @throws what the work throws */
export async function takeStep<Result>(
  { journal }: { readonly journal: Journal },
  step: Pick<Step, 'name' | 'asked' | 'rule'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) {
      const { code } = error;
      journal.record({ ...step, came: code.replaceAll('_', ' '), code, verdict: 'failure' });
    }
    throw error;
  }
}

/** The step in progress, for the spinner; it ends with the next recorded step. */
export interface Progress {
  begin(what: string): void;
  end(): void;
}

/** Files named on the command line, and stdin. Flows get bytes, not paths. */
export interface Files {
  /** Then there is no piped input to read. */
  readonly stdinIsTerminal: boolean;
  /** Reads a file in chunks. @param setting What names the path. @throws Failure `file_unreadable`, while reading */
  read(path: string, setting?: string): AsyncIterable<Uint8Array>;
  /** Whether other users of this machine can read the file; false if it is missing or the system cannot tell. */
  isOpenToOthers(path: string): Promise<boolean>;
  /** Reads stdin, once. @throws Failure `file_unreadable`, while reading */
  stdin(): AsyncIterable<Uint8Array>;
  /** Creates or replaces a file as the bytes arrive. @throws Failure `file_unwritable`, or what `chunks` throws */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Creates a file that only this user can read; false if something is there already. @throws Failure `file_unwritable` */
  writeNew(path: string, bytes: Uint8Array): Promise<boolean>;
  /** Creates or replaces a file that only this user can read, never through a link. @throws Failure `file_unwritable` */
  writePrivate(path: string, text: string): Promise<void>;
  /** Creates a folder and its parents. @throws Failure `file_unwritable` */
  makeFolder(path: string): Promise<void>;
  /** Writes to a descriptor that the parent process opened, and closes it. @throws Failure `ready_fd_unusable` */
  tellReady(descriptor: number, text: string): Promise<void>;
}

/** How other programs start this one. */
export interface OwnProgram {
  readonly platform: string;
  readonly homedir: string;
  /** For a bug report: `linux x64, Node.js 20.19.0`. */
  readonly runtime: string;
  /** Absolute paths: Node.js and the launcher, or the single executable. */
  readonly program: readonly string[];
  /** Variables that make it find the same logins from an empty environment. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Writes a launcher, readable only by this user, into an existing folder; replaces only a file with `mark` in its second
   * line. Returns its absolute path. @throws Failure `shim_refused`, `file_unwritable`
   */
  writeShim(path: string, text: string, mark: string): Promise<string>;
}

/** One request to a server of ours. Its texts come from the caller. */
export interface LoggedRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** The path without key and query, or why there is no path. */
  readonly what: string;
  /** The response's status, or how the request ended, in a word. */
  readonly status: string;
  readonly ms: number | undefined;
  /** The name that the caller gives itself. */
  readonly program: string | undefined;
}

/** Prints one line for each request on stderr. */
export type RequestLog = (request: LoggedRequest) => void;

/** Signals of the system to this process. */
export interface Signals {
  /** Until disposed, `taker` is asked first; if it returns true, the signal has no other effect. */
  take(taker: (signal: string) => boolean): Disposable;
}

/**
 * Gets a better login for a request. `scopes` is what the login lacks; empty if it has expired. Undefined if no user may be
 * asked. `begin` is called before a login page opens: it counts against the hourly budget, and throws when that is spent.
 */
export type Relogin = (
  login: LoginRecord,
  scopes: readonly string[],
  begin: () => Promise<void>,
) => Promise<LoginRecord | undefined>;

/** Options that say how the user gets to the login page. */
export interface BrowserOptions {
  readonly browser: boolean;
  readonly noBrowser: boolean;
}

/** Where to find the platform's token that replaces a client secret (RFC 7523), and how to use it. */
export interface AssertionOptions {
  readonly assertionFile?: string | undefined;
  /** Name of the variable. */
  readonly assertionEnv?: string | undefined;
  readonly assertionCommand?: string | undefined;
  readonly assertionAudience?: string | undefined;
  readonly assertionAs?: 'grant' | 'client' | undefined;
}

/** The client that a command logs in as; variables fill in what is missing. */
export interface ClientLogin extends AssertionOptions {
  readonly clientId: string | undefined;
  readonly clientSecretFile: string | undefined;
  readonly clientKeyFile: string | undefined;
  readonly authorizationServer: string | undefined;
  /** Empty: what the server asks for. */
  readonly scope: readonly string[];
}

/** Finds or makes logins for commands. */
export interface Logins {
  /**
   * The client's own login for that URL (RFC 6749 section 4.4), made if missing. The calling command's store is in memory.
   * @throws Failure of the login
   */
  asClient(
    wanted: ClientLogin & { readonly server: string; readonly account: string | undefined },
  ): Promise<LoginRecord>;
  /** The login of that name or URL; makes one for a URL without a login. @throws Failure of `findLogin` and of the login */
  findOrMake(
    wanted: BrowserOptions & { readonly server: string; readonly account: string | undefined },
  ): Promise<LoginRecord>;
  /**
   * For a typed command. With `login` it never asks; without, it only adds scope, after a yes at the terminal. Undefined if
   * no user can be asked. @param options.cancelled Ends the login; the command may go on.
   */
  relogin(
    options: BrowserOptions & { readonly login: boolean; readonly cancelled?: () => AbortSignal | undefined },
  ): Relogin | undefined;
  /** For requests that programs make. Undefined if no user can be reached. */
  reloginForPrograms(options: BrowserOptions): Relogin | undefined;
  /** For a program whose stdin is not the user's: logs in through the browser. Undefined without a browser. */
  inBackground(wanted: {
    readonly server: string;
    readonly account: string | undefined;
  }): LoginInBackground | undefined;
}

/** Makes a login, or one with more scope than `held`; `begin` as for `Relogin`. */
export type LoginInBackground = (
  held: LoginRecord | undefined,
  scopes: readonly string[],
  begin: () => Promise<void>,
) => Promise<LoginRecord>;

/** A server in another program's configuration. */
export interface OfferedServer {
  readonly name: string;
  readonly url: string;
  /** A short name for the login, if one can be derived from its name there. */
  readonly loginName: string | undefined;
  readonly hasLogin: boolean;
}

/**
 * The servers in a program's configuration, without duplicates; `setup` provides it.
 * @throws Failure `program_unknown`, `usage`, `program_file_unusable`
 */
export type FindServers = (program: string, logins: readonly LoginRecord[]) => Promise<OfferedServers>;

/** Programs whose configuration names servers without a login. */
export type ProgramsWithServers = (
  logins: readonly LoginRecord[],
) => Promise<readonly { readonly name: string; readonly title: string; readonly count: number }[]>;

/** Servers that a program's configuration files name. */
export interface OfferedServers {
  /** The program's usual name. */
  readonly title: string;
  readonly files: readonly string[];
  readonly servers: readonly OfferedServer[];
}

/** How a program with an entry from `setup` would fare. */
export interface CheckedProgram {
  readonly title: string;
  readonly server: string;
  /** 0 if it gets what it needs. */
  readonly exit: number;
  /** Findings, in words. */
  readonly lines: readonly string[];
}

/** @param program As `setup` names it; undefined compares every entry and runs none. @throws Failure `program_unknown` */
export type CheckPrograms = (program: string | undefined) => Promise<readonly CheckedProgram[]>;

/** A login that has to be made again. */
export interface BrokenLogin {
  readonly name: string;
  readonly problem: string;
  readonly remedy: string;
}

/** A host in the form that lets a user judge it. */
export interface DescribedHost {
  /** With its labels in their own script (RFC 5891); the host itself if it has no such labels. */
  readonly inLetters: string;
  /** Its registrable domain; undefined for an address or a name without one. */
  readonly site: string | undefined;
}

/** A page open in a browser. Disposing it ends our one-time link. */
export interface OpenedPage extends AsyncDisposable {
  /** Whether two browsers, or another user of this machine, opened the link. */
  readonly doubtful: boolean;
}

/** Opens server pages that the user agreed to see. */
export interface Pages {
  /**
   * Opens a page in the user's browser through a one-time link; fetches nothing itself. Undefined if no browser can be
   * opened.
   * @param url Printable ASCII, http or https. @param chosen The browser of the login; undefined: the usual one.
   */
  open(url: string, chosen: BrowserChoice | undefined): Promise<OpenedPage | undefined>;
  describe(host: string): Promise<DescribedHost>;
}

export interface CorePorts {
  /** The configured limits, or the defaults. @throws Failure `configuration_unusable` */
  readonly limits: () => Promise<Limits>;
  /**
   * Extra headers for this run's server from the command line; undefined if there are none. Read once.
   * @throws Failure `headers_unusable`, `usage`, `file_unreadable`
   */
  readonly givenHeaders: () => Promise<readonly SecretHeader[] | undefined>;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly journal: Journal;
  readonly progress: Progress;
}
