import type { SecureContext } from 'node:tls';
import type { Failure } from '../../core/failure.js';
import type { Limits } from '../../core/limits.js';
import type { Clock } from '../../core/ports.js';

/** A value as the engine has it. */
export interface EngineEntry {
  readonly value: Uint8Array;
  /**
   * A decimal number that grows with every write of this key and never comes back, not even after a removal (a
   * counter). It is the fencing number, too.
   */
  readonly revision: string;
}

/** One atomic step: all of it, or nothing. */
export interface EngineCommit {
  /** All must hold, or nothing is written: the key has this revision; undefined: it is not there. */
  readonly onlyIf: readonly { readonly key: string; readonly revision: string | undefined }[];
  readonly puts: readonly EnginePut[];
  /** A key that is not there is no matter. No key is both put and removed. */
  readonly removes: readonly string[];
}

export interface EnginePut {
  readonly key: string;
  readonly value: Uint8Array;
  /** The engine removes it after so long, by its own clock; undefined: never. */
  readonly ttlMs?: number | undefined;
}

/** `unknown`: it was sent, and no response came (cut, restart, time-out). The caller reads again to find out. */
export type CommitResult =
  | { readonly outcome: 'committed' /** Of the puts, in their order. */; readonly revisions: readonly string[] }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/**
 * What keeps the sealed items of logins that machines share: Redis or Valkey. Keys are ASCII. Every wait ends: by the
 * signal, or by the engine's own time limit.
 */
export interface SharedEngine extends AsyncDisposable {
  /** For messages, printable: `Redis at cache.example:6380`. */
  readonly label: string;
  /** One consistent look at up to 500 keys, at more in pieces, by plain read commands. @throws Failure `store_unavailable`, `store_denied` */
  read(keys: readonly string[], signal: AbortSignal): Promise<readonly (EngineEntry | undefined)[]>;
  /** @throws Failure `store_unavailable` where nothing was sent, `store_denied` where the engine refuses it to this user */
  commit(commit: EngineCommit, signal: AbortSignal): Promise<CommitResult>;
  /** Names that begin with it, sorted, at most 10,000. @throws Failure as `read` */
  list(prefix: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Which of its settings can lose a write that it has acknowledged, as sentences; none where it writes before it
   * responds. Where its access rules hide them, a sentence says so. @throws Failure as `read`
   */
  durability(signal: AbortSignal): Promise<readonly string[]>;
}

/** What engines need of the world; `app` joins it to the guarded HTTP client and its trust. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly limits: () => Promise<Limits>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Trusted authorities, and a client certificate where the person has set one for that origin. */
  readonly secureContext: (origin: string) => Promise<SecureContext>;
  /** What happened to a connection, in words. */
  readonly networkFailure: (
    error: unknown,
    party: { readonly host: string; readonly port: number },
  ) => Promise<Failure>;
}
