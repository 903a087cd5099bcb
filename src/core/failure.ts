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

/** How one step of the engine ended. */
export type Verdict = 'pass' | 'warning' | 'failure' | 'skipped';

/** One step of a login: the spinner shows it, `--verbose` prints it. Texts may hold a server's words. */
export interface Step {
  /** Stable name in kebab-case, e.g. `protected-resource-metadata`. */
  readonly name: string;
  /** What was asked, in a few words or as `GET https://…`. Never a secret. */
  readonly asked: string;
  /** What came back, in a few words. Never a secret. */
  readonly came: string;
  /** Of the failure that ended the step. */
  readonly code?: string;
  /** The section that it follows, such as `RFC 9728 section 5.1, WWW-Authenticate Response`. */
  readonly rule: string;
  readonly verdict: Verdict;
  /** For a warning or failure: what is wrong, and what follows. */
  readonly note?: string;
  /** For a failure: what logic goes by, where its code does not say enough. */
  readonly reason?: 'iss-missing';
}

export interface FailureDetail {
  /** Stable name in snake_case, printed with the message and in `--json`. */
  readonly code: string;
  readonly exit: ExitCode;
  /** What happened and why, one sentence. A server's words in it come through `quoted`. */
  readonly message: string;
  readonly remedy: Remedy;
  /** Does the remedy name the command to run? Then `postern doctor` is not named beside it. */
  readonly leads?: boolean | undefined;
  readonly cause?: unknown;
  /** A connection that failed: whose, and what it did ("refuses connections"). */
  readonly connection?: { readonly party: string; readonly happened: string } | undefined;
  readonly typo?: Typo | undefined;
  /** For `word_missing`: a line that works, in place of the command's first example. */
  readonly example?: string | undefined;
}

/** What to type or change next, in a sentence; a function words it for the situation in which it is printed. */
export type Remedy = string | ((situation: Situation) => string);

/** The context in which a failure is printed. */
export interface Situation {
  /** The server or login that the command line names, quoted for the user's shell; SERVER where there is none. */
  readonly server: string;
  /** The command that logs in there, with the options typed for it and these. */
  readonly logIn: (...options: readonly string[]) => string;
  /** Set without a user at hand: whether the command can log in as a client. */
  readonly job?: 'takes a client' | 'takes none' | undefined;
}

/** No server was named. */
const anywhere: Situation = { server: 'SERVER', logIn: (...options) => ['postern login SERVER', ...options].join(' ') };

/** A mistyped word, and the one most likely meant. */
export interface Typo {
  readonly typed: string;
  readonly meant: string;
  /** Words that are missing before it. */
  readonly command?: readonly string[];
}

/** The system's code of an error, such as ENOENT; `unknown` where it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** An error that a user can act on; anything else thrown is a fault of this program. Logic looks at its data, never at the text. */
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

  /** The same failure with a better remedy, for a caller that knows one. */
  withRemedy(remedy: Remedy, leads?: boolean): Failure {
    return new Failure({ ...this.detail, remedy, leads });
  }
}

/** Is it a failure, with one of these codes where any are named? */
export function isFailure(error: unknown, ...codes: readonly string[]): error is Failure {
  return error instanceof Failure && (codes.length === 0 || codes.includes(error.code));
}

/** For `catch`, where a failure is of no consequence: anything else is thrown on. */
export function ignoreFailure(error: unknown): undefined {
  if (!isFailure(error)) throw error;
}
