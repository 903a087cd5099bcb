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

/** A person at a terminal; everything is shown on stderr. */
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
  /** Until disposed, keys are not echoed, and `enter` is called for Enter. A question goes first. */
  listen(enter: () => void): Disposable;
  /** With `--json`: one line for the program that reads it. */
  event(event: Readonly<Record<string, string>>): void;
}

/** Records each step of the engine as it ends. */
export interface Journal {
  record(step: Step): void;
  /** Every step so far, oldest first. */
  readonly steps: readonly Step[];
}

/** Does the work of a step, and records a request that fails. @throws whatever the work throws */
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

/** A step under way, for the spinner; it ends with the next recorded step. */
export interface Progress {
  begin(what: string): void;
  end(): void;
}

/** Files that the person named on the command line, and stdin. Flows get bytes, not paths. */
export interface Files {
  /** Then nothing waits there to be read. */
  readonly stdinIsTerminal: boolean;
  /** A file's bytes in chunks. @throws Failure `file_unreadable` while it is read */
  read(path: string): AsyncIterable<Uint8Array>;
  /** Whether other users of this machine may read that file; false where there is none, or the system cannot tell. */
  isOpenToOthers(path: string): Promise<boolean>;
  /** The bytes of stdin; can be read once. @throws Failure `file_unreadable` while it is read */
  stdin(): AsyncIterable<Uint8Array>;
  /** Makes or replaces a file as the bytes come. @throws Failure `file_unwritable`, or what `chunks` throws */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** A new file of this user's alone; false, and nothing written, where something is there. @throws Failure `file_unwritable` */
  writeNew(path: string, bytes: Uint8Array): Promise<boolean>;
  /** A file of this user's alone, in place of a plain file or of none; never through a link. @throws Failure `file_unwritable` */
  writePrivate(path: string, text: string): Promise<void>;
  /** Makes a folder and those above it, where missing. @throws Failure `file_unwritable` */
  makeFolder(path: string): Promise<void>;
  /** Writes to a descriptor that our parent opened for us, and closes it. @throws Failure `ready_fd_unusable` */
  tellReady(descriptor: number, text: string): Promise<void>;
}

/** How others start this program. */
export interface OwnProgram {
  readonly platform: string;
  readonly homedir: string;
  /** For a bug report: `linux x64, Node.js 20.19.0`. */
  readonly runtime: string;
  /** Absolute paths: Node.js and the launcher, or the single executable. */
  readonly program: readonly string[];
  /** The variables with which it finds the same logins from an empty environment. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Writes a file that starts it, for this user alone, in a folder that exists; or replaces one that has `mark` in its
   * second line. Returns its absolute path. @throws Failure `shim_refused`, `file_unwritable`
   */
  writeShim(path: string, text: string, mark: string): Promise<string>;
}

/** One request that a server of ours has taken. `what` and the rest are others' text. */
export interface LoggedRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** The path without key and query, or why there is none. */
  readonly what: string;
  /** The response's, or in a word how it ended. */
  readonly status: string;
  readonly ms: number | undefined;
  /** What the caller calls itself. */
  readonly program: string | undefined;
}

/** Prints one line a request, on stderr; there is none where nobody wants to read it. */
export type RequestLog = (request: LoggedRequest) => void;

/** Signals of the system to this process. */
export interface Signals {
  /** Until disposed, `taker` is asked first; a signal for which it returns true has no other effect. */
  take(taker: (signal: string) => boolean): Disposable;
}

/**
 * Gets a better login for a request. `scopes`: what the login lacks; none: it has expired. Undefined: no user may be asked.
 * `begin` is called before a login page is opened: it counts against the budget of the hour, and throws when that is used up.
 */
export type Relogin = (
  login: LoginRecord,
  scopes: readonly string[],
  begin: () => Promise<void>,
) => Promise<LoginRecord | undefined>;

/** Options that say how the login page gets before the person. */
export interface BrowserOptions {
  readonly browser: boolean;
  readonly noBrowser: boolean;
}

/** Where a platform's token is that stands in for a client's secret (RFC 7523), and how it is used. */
export interface AssertionOptions {
  readonly assertionFile?: string | undefined;
  /** Name of the variable. */
  readonly assertionEnv?: string | undefined;
  readonly assertionCommand?: string | undefined;
  readonly assertionAudience?: string | undefined;
  readonly assertionAs?: 'grant' | 'client' | undefined;
}

/** As which client a command logs in for itself; what is not given, the variables say. */
export interface ClientLogin extends AssertionOptions {
  readonly clientId: string | undefined;
  readonly clientSecretFile: string | undefined;
  readonly clientKeyFile: string | undefined;
  readonly authorizationServer: string | undefined;
  /** None: what the server asks for. */
  readonly scope: readonly string[];
}

/** How a command gets a login. */
export interface Logins {
  /**
   * The client's own login for that URL (RFC 6749 section 4.4), made where there is none yet. The command that asks has
   * its store in memory. @throws Failure of the login
   */
  asClient(
    wanted: ClientLogin & { readonly server: string; readonly account: string | undefined },
  ): Promise<LoginRecord>;
  /** The login of that name or URL; for a URL without one, a new login. @throws Failure of `findLogin` and of the login */
  findOrMake(
    wanted: BrowserOptions & { readonly server: string; readonly account: string | undefined },
  ): Promise<LoginRecord>;
  /**
   * For a typed command: with `login` without a question; else more scope only, after a yes at the terminal. Undefined where
   * no user can be asked. @param options.cancelled Ends the login; the command may go on.
   */
  relogin(
    options: BrowserOptions & { readonly login: boolean; readonly cancelled?: () => AbortSignal | undefined },
  ): Relogin | undefined;
  /** For requests of programs, which no person has typed. Undefined where nobody can be reached. */
  reloginForPrograms(options: BrowserOptions): Relogin | undefined;
  /** For a program whose stdin is not the user's: in the browser. Undefined where there is none. */
  inBackground(wanted: {
    readonly server: string;
    readonly account: string | undefined;
  }): LoginInBackground | undefined;
}

/** Makes a login, or one with more scope than the one that is held; `begin` as for `Relogin`. */
export type LoginInBackground = (
  held: LoginRecord | undefined,
  scopes: readonly string[],
  begin: () => Promise<void>,
) => Promise<LoginRecord>;

/** A server in another program's configuration. */
export interface OfferedServer {
  readonly name: string;
  readonly url: string;
  /** A short name for the login, where one can be made of its name there. */
  readonly loginName: string | undefined;
  readonly hasLogin: boolean;
}

/**
 * The servers in a program's configuration, each once; `app` joins it to `setup/`.
 * @throws Failure `program_unknown`, `usage`, `program_file_unusable`
 */
export type FindServers = (program: string, logins: readonly LoginRecord[]) => Promise<OfferedServers>;

/** Programs whose configuration names servers without a login. */
export type ProgramsWithServers = (
  logins: readonly LoginRecord[],
) => Promise<readonly { readonly name: string; readonly title: string; readonly count: number }[]>;

/** What a program's configuration files name. */
export interface OfferedServers {
  /** The program's name, as people write it. */
  readonly title: string;
  readonly files: readonly string[];
  readonly servers: readonly OfferedServer[];
}

/** What a program that `setup` wrote an entry for would get. */
export interface CheckedProgram {
  readonly title: string;
  readonly server: string;
  /** 0: what it needs. */
  readonly exit: number;
  /** What was found, for a person. */
  readonly lines: readonly string[];
}

/** @param program As `setup` names it; undefined: every entry is compared, and none is run. @throws Failure `program_unknown` */
export type CheckPrograms = (program: string | undefined) => Promise<readonly CheckedProgram[]>;

/** A login that needs a new login. */
export interface BrokenLogin {
  readonly name: string;
  readonly problem: string;
  readonly remedy: string;
}

/** A host, for a person who is to judge it. */
export interface DescribedHost {
  /** With its labels in letters (RFC 5891), as people of other scripts write it; the host itself where it has none. */
  readonly inLetters: string;
  /** The registrable domain that it belongs to; undefined for an address, and a name without one. */
  readonly site: string | undefined;
}

/** A page that a browser was sent to. Closing it ends our link to it. */
export interface OpenedPage extends AsyncDisposable {
  /** Whether two browsers, or another user of this machine, have taken the link. */
  readonly doubtful: boolean;
}

/** Pages of servers that a user agreed to see. */
export interface Pages {
  /**
   * Opens a page in the person's browser, by way of a one-time link of ours. Nothing is fetched here. Undefined where no
   * browser can be opened.
   * @param url Printable ASCII, http or https. @param chosen The browser of the login; undefined: the usual one.
   */
  open(url: string, chosen: BrowserChoice | undefined): Promise<OpenedPage | undefined>;
  describe(host: string): Promise<DescribedHost>;
}

export interface CorePorts {
  /** As the person has set them, else the usual. @throws Failure `configuration_unusable` */
  readonly limits: () => Promise<Limits>;
  /**
   * Headers that this run's one server wants beside the token, as the command line gives them; undefined: it gives none.
   * Read once. @throws Failure `headers_unusable`, `usage`, `file_unreadable`
   */
  readonly givenHeaders: () => Promise<readonly SecretHeader[] | undefined>;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly journal: Journal;
  readonly progress: Progress;
}
