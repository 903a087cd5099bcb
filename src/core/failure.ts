/** The exit codes of the command line, by meaning. */
export const exitCode = {
  fault: 1,
  usage: 2,
  loginNeeded: 3,
  refused: 4,
  serverBreaksRules: 5,
  network: 6,
  store: 7,
  callFailed: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** How a step of the engine ended. */
export type Verdict = 'pass' | 'warning' | 'failure' | 'skipped';

/** One step of a login: the spinner shows it, `--verbose` prints it. Texts may hold a server's words. */
export interface Step {
  /** Stable name in kebab-case, e.g. `protected-resource-metadata`. */
  readonly name: string;
  /** The request, in a few words or as `GET https://…`. Never a secret. */
  readonly asked: string;
  /** The result, in a few words. Never a secret. */
  readonly came: string;
  /** Code of the failure that ended the step. */
  readonly code?: string;
  /** The section that it implements, such as `RFC 9728 section 5.1, WWW-Authenticate Response`. */
  readonly rule: string;
  readonly verdict: Verdict;
  /** For a warning or failure: what is wrong, and the consequence. */
  readonly note?: string;
  /** For a failure whose code does not say enough for other code to act on. */
  readonly reason?: 'iss-missing';
}

export interface FailureDetail {
  /** Stable name in snake_case, printed with the message and in `--json`. */
  readonly code: string;
  readonly exit: ExitCode;
  /** What happened and why, in one sentence. A server's words in it pass through `quoted`. */
  readonly message: string;
  readonly remedy: Remedy;
  /** The remedy already names the command to run, so `postern doctor` is not added. */
  readonly leads?: boolean | undefined;
  readonly cause?: unknown;
  /** The connection that failed: to whom, and how ("refuses connections"). */
  readonly connection?: { readonly party: string; readonly happened: string } | undefined;
  readonly typo?: Typo | undefined;
  /** For `word_missing`: a command line that works; replaces the command's first example. */
  readonly example?: string | undefined;
}

/** What to type or change next, in a sentence; a function adapts it to the command that failed. */
export type Remedy = string | ((situation: Situation) => string);

/** The command that failed. */
export interface Situation {
  /** The server or login on its command line, quoted for the user's shell; SERVER if there is none. */
  readonly server: string;
  /** The command that logs in there, with the options typed and these. */
  readonly logIn: (...options: readonly string[]) => string;
  /** Set if no user is present: whether the command can log in as a client. */
  readonly job?: 'takes a client' | 'takes none' | undefined;
}

/** Without a server on the command line. */
const anywhere: Situation = { server: 'SERVER', logIn: (...options) => ['postern login SERVER', ...options].join(' ') };

/** A mistyped word and the likely correction. */
export interface Typo {
  readonly typed: string;
  readonly meant: string;
  /** Missing words before it. */
  readonly command?: readonly string[];
}

/** The system's error code, such as ENOENT; `unknown` if there is none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** An error that the user can act on; anything else thrown is a bug. Code decides by its data, never by its text. */
export class Failure extends Error {
  readonly detail: FailureDetail;
  readonly code: string;
  readonly exit: ExitCode;

  constructor(detail: FailureDetail) {
    super(detail.message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'Failure';
    this.detail = detail;
    this.code = detail.code;
    this.exit = detail.exit;
  }

  /** The remedy without context. */
  get remedy(): string {
    return this.remedyIn(anywhere);
  }

  remedyIn(situation: Situation): string {
    const { remedy } = this.detail;
    return typeof remedy === 'string' ? remedy : remedy(situation);
  }

  /** The same failure with a better remedy, for callers that know one. */
  withRemedy(remedy: Remedy, leads?: boolean): Failure {
    return new Failure({ ...this.detail, remedy, leads });
  }
}

/** Whether it is a failure, with one of these codes if any are listed. */
export function isFailure(error: unknown, ...codes: readonly string[]): error is Failure {
  return error instanceof Failure && (codes.length === 0 || codes.includes(error.code));
}

/** For `catch` where failures do not matter: rethrows anything else. */
export function ignoreFailure(error: unknown): undefined {
  if (!isFailure(error)) throw error;
}
