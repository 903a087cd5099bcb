import type { FormatFailure, IndexDocument, LoginRecord, StoreKind } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { JsonValue } from '../core/text/json.js';
import type { Assertions } from './assertions.js';

/** Where secrets live: one item for one key, the key an ASCII hash. */
export interface SecretStore {
  readonly kind: StoreKind;
  /** Can it be read and written now? @throws Failure `store_unavailable`, `store_locked` */
  ready(): Promise<void>;
  read(key: string): Promise<Secret | undefined>;
  write(key: string, value: Secret): Promise<void>;
  /** True when there was something to remove. */
  remove(key: string): Promise<boolean>;
  /**
   * Of a store that other machines write, too: the turn to refresh what was read last, which the caller's lock between
   * processes comes before. Undefined: that lock is enough. `overtaken`: it is to be read again.
   * @throws Failure of the store, `busy`
   */
  refreshTurn?(key: string, wait: TurnWait): Promise<SharedTurn | 'overtaken' | LeftRefresh | undefined>;
  /** Of such a store: tells the other machines what the index here tells of a login. @throws Failure of the store */
  publish?(login: LoginRecord): Promise<void>;
  /** Of such a store: what other machines tell of their logins. @throws Failure of the store */
  records?(): Promise<readonly LoginRecord[]>;
}

export interface TurnWait {
  /** For another machine's turn, in milliseconds. */
  readonly waitMs: number;
  /** Does the token at hand live? Then nothing is risked for another one. */
  readonly lives: boolean;
  readonly signal: AbortSignal;
}

/** A process that has sent the refresh token and written nothing. */
export interface LeftRefresh {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** A machine and a process, for people. */
  readonly by: string;
}

/** The turn of this process, alone among all machines. It ends when it is disposed of, and what was noted where nothing came of it. */
export interface SharedTurn extends AsyncDisposable {
  /**
   * The last thing before the refresh token leaves. @throws Failure `shared_overtaken` where another machine may have its
   * turn, or of the store: then nothing may be sent
   */
  sending(): Promise<void>;
  /** A response is here that may have a token: nobody else sends that refresh token again until it is written. */
  responded(): void;
  /** A response is here, and it had none. */
  hadNone(): void;
}

/** Every store there is; nothing of one is loaded before it is used. */
export interface SecretStores {
  of(kind: StoreKind): SecretStore;
}

/** The small file without secrets that says which logins there are. */
export interface CredentialIndex {
  /** @throws Failure `index_corrupt`, `index_newer`, `index_unsafe` */
  read(): Promise<IndexDocument>;
  /** Reads, changes and replaces it under a lock between processes. */
  update(change: (document: IndexDocument) => IndexDocument): Promise<IndexDocument>;
  /** Takes in the logins that other machines have made in the shared store that the person has set. @throws as that store */
  adopt?(kind?: StoreKind): Promise<void>;
}

/** Keeps the response to a refresh until the store has it, sealed with the refresh token that the store still holds. */
export interface Recovery {
  /**
   * Begins a refresh: makes a file with room for its response, of about `bytes` bytes. The caller has the lock of that key.
   * @param spent The refresh token that is about to be sent; undefined where none is, and nothing can be kept.
   * @throws Failure `state_unsafe`, `state_unwritable`
   */
  begin(key: string, refresh: { readonly bytes: number; readonly spent: Secret | undefined }): Promise<BegunRefresh>;
  /** Is there a response that waits, whatever opens it? */
  isWaiting(key: string): Promise<boolean>;
  /** Undefined when there is none, or when this secret does not open it. @throws Failure `state_unsafe` */
  find(key: string, spent: Secret): Promise<Secret | undefined>;
  /** @throws Failure `state_unwritable` */
  forget(key: string): Promise<void>;
}

/** A refresh in progress; its room is given back at the end. */
export interface BegunRefresh extends AsyncDisposable {
  /**
   * Keeps the response: SIGKILL takes nothing back from now on, a power cut once this resolves.
   * Undefined where nothing was spent. @throws Failure `state_unwritable`, at once or later
   */
  keep(value: Secret): Promise<void> | undefined;
}

/** Limits on what is done within an hour, over all processes. */
export interface Attempts {
  /** Counts one more; false, and not counted, after `max` in the last hour, or in `withinMs` where that is less.
   * @throws Failure of the state folder, `busy` */
  take(name: string, max: number, withinMs?: number): Promise<boolean>;
  /** Would `take` count one? @throws as `take` */
  allows(name: string, max: number): Promise<boolean>;
  /** From now on there were none. @throws as `take` */
  forget(name: string): Promise<void>;
}

/** Locks between processes, by name. */
export interface Locks {
  /** @throws Failure `busy` after `waitMs` */
  acquire(name: string, options: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<Lock>;
}

export interface Lock extends AsyncDisposable {
  /** Is it still ours? A process on another machine may take it from one that was paused for long. */
  isHeld(): boolean;
}

/** What other programs asked for and did not get: several of them hide our stderr. */
export interface FormatFailures {
  /** Oldest first. */
  read(): Promise<readonly FormatFailure[]>;
  /** Replaces what was kept for its format and origin. @throws Failure `state_unsafe`, `state_unwritable`, `busy` */
  keep(failure: FormatFailure): Promise<void>;
  /** Of an origin, all or those of one format. @throws as `keep` */
  forget(origin: string, format?: string): Promise<void>;
}

/** One parameter of a tool, as its input schema says. Texts are the server's, cut, and not yet printable. */
export interface ToolParameter {
  readonly name: string;
  /** JSON Schema's names of the types that it takes; none: any. */
  readonly types: readonly string[];
  /** Type of a list's entries, where they have one. */
  readonly entries: string | undefined;
  readonly isRequired: boolean;
  /** The only values it takes; undefined: any of its types. */
  readonly choices: readonly JsonValue[] | undefined;
  readonly default?: JsonValue | undefined;
  /** '' for none. */
  readonly description: string;
}

/** A tool, as far as a person calls it by it. Texts are the server's, cut, and not yet printable. */
export interface ToolSignature {
  readonly name: string;
  /** '' for none. */
  readonly description: string;
  /** As its annotations say, which are hints. */
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
  /** To call it twice is as to call it once. */
  readonly isIdempotent: boolean;
  /** Whether it may take parameters that are not among these. */
  readonly isOpen: boolean;
  /** Whether the newer era wants some of its parameters in headers, too: then the server's own list has to be at hand. */
  readonly isMarked: boolean;
  /** Whether its schema marks a value as secret, however deep. */
  readonly takesSecret?: boolean;
  readonly parameters: readonly ToolParameter[];
}

export interface ToolList {
  /** When the server listed them, in milliseconds since 1970. */
  readonly at: number;
  /** False where the server has more than are here. */
  readonly isWhole: boolean;
  readonly tools: readonly ToolSignature[];
}

/** The tools that each login's server has listed, by the key of its record: bounded, for a day, and without secrets. */
export interface ToolLists {
  /** @param now Milliseconds since 1970. */
  read(key: string, now: number): Promise<ToolList | undefined>;
  keep(key: string, list: ToolList): Promise<void>;
  forget(key: string): Promise<void>;
}

export interface StorePorts {
  /** Reads, writes and removes where the index says that the key's secret is. */
  readonly store: SecretStore;
  /** For what the index does not say: a new login's store, and those that it was in before. */
  readonly stores: SecretStores;
  readonly index: CredentialIndex;
  readonly recovery: Recovery;
  readonly attempts: Attempts;
  readonly failures: FormatFailures;
  readonly toolLists: ToolLists;
  readonly locks: Locks;
  readonly assertions: Assertions;
}
