/** How one step of the engine ended. */
export type Verdict = 'pass' | 'warning' | 'failure' | 'skipped';

/**
 * One step of discovery, registration, authorization, redeeming or storing, told as a value: the
 * spinner shows it, `login --verbose` prints it, a failure quotes it, `doctor` judges by it.
 * Texts may hold a server's words: whoever prints them goes through `printable`.
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
