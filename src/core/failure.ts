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

/**
 * One step of discovery, registration, authorization, redeeming or storing, as a value: the spinner shows it,
 * `login --verbose` prints it, a failure quotes it. Texts may hold a server's words: they are printed through `printable`.
 */
export interface Step {
  /** Stable name in kebab-case, e.g. `protected-resource-metadata`. */
  readonly name: string;
  /** What was asked, in a few words or as `GET https://…`. Never a secret. */
  readonly asked: string;
  /** What came back, in a few words. Never a secret. */
  readonly came: string;
  /** The rule's id in the project's rule table (`R-4.2a`), or an RFC section. */
  readonly rule: string;
  readonly verdict: Verdict;
  /** For a warning or failure: what is wrong, and what follows. */
  readonly note?: string;
}

export interface FailureDetail {
  /** Stable name in snake_case, printed with the message and in `--json`. */
  readonly code: string;
  readonly exit: ExitCode;
  /** What happened and why, one sentence. A server's words in it come through `quoted`. */
  readonly message: string;
  /** One sentence with what to type or change next. */
  readonly remedy: string;
  /** Other ways on, each printed on a line of its own below the remedy. */
  readonly further?: readonly string[];
  readonly cause?: unknown;
  readonly typo?: Typo | undefined;
}

/** A word of the command line, and the one that it was most likely meant to be. */
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

/**
 * An error that a person can act on. Anything thrown that is not a `Failure` is a fault of this
 * program. Logic looks at `code`, never at the text.
 */
export class Failure extends Error {
  readonly code: string;
  readonly exit: ExitCode;
  readonly remedy: string;
  readonly further: readonly string[];
  /** The command line, mended, is the remedy: only who has it can write it. */
  readonly typo: Typo | undefined;

  constructor(detail: FailureDetail) {
    super(detail.message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'Failure';
    this.code = detail.code;
    this.exit = detail.exit;
    this.remedy = detail.remedy;
    this.further = detail.further ?? [];
    this.typo = detail.typo;
  }

  /** The same failure, with another way out of it, or several. */
  withRemedy(remedy: string, ...further: readonly string[]): Failure {
    const { code, exit, message, cause } = this;
    return new Failure({ code, exit, message, remedy, further, cause });
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
