import type { FormatFailure, LoginRecord } from '../primitives/records.js';

/** Renewal in a process of its own, which ends what it began though this one is killed meanwhile. */
export interface Renewal {
  /** Resolves once the new token is stored. @throws Failure of the other process, or the signal's reason, after which the other one goes on */
  renew(
    login: LoginRecord,
    options: { readonly minLifeMs: number; readonly signal: AbortSignal },
  ): Promise<void>;
}

/** What other programs asked for and did not get: several of them hide what is said on stderr. */
export interface FormatFailures {
  /** Oldest first. */
  read(): Promise<readonly FormatFailure[]>;
  /** Replaces what was kept for its format and origin. @throws Failure `state_unsafe`, `state_unwritable`, `busy` */
  keep(failure: FormatFailure): Promise<void>;
  /** Of an origin, all or those of one format. @throws as `keep` */
  forget(origin: string, format?: string): Promise<void>;
}

/** Which token of a login was handed out: its item's key, and when it was obtained. */
export interface HandedToken {
  readonly key: string;
  readonly obtainedAt: number;
  /** When a token was last renewed since this process asked again: within a minute nothing else comes of that. */
  readonly renewedAt?: number | undefined;
}

/** What the process that started this one was given: programs that run their helper again after a 401 say no more than that. */
export interface HandedOut {
  /** The token that this very process was given of the login within the last ten seconds. */
  lately(key: string, now: number): Promise<HandedToken | undefined>;
  /** Notes it, once it is written; fails silently. */
  note(token: HandedToken, now: number): Promise<void>;
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
