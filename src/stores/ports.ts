import type { IndexDocument, LoginRecord, StoreKind } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { Assertions } from './assertions.js';
import type { Locks } from './state/locks.js';
import type { Recovery } from './state/recovery.js';
import type { Attempts, FormatFailures } from './state/small-files.js';
import type { ToolLists } from './state/tool-lists.js';

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
   * processes comes before. Undefined: that lock is enough.
   * @throws Failure of the store, `busy`, `shared_overtaken` where it is to be read again
   */
  refreshTurn?(key: string, wait: TurnWait): Promise<SharedTurn | LeftRefresh | undefined>;
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
  /** A machine and a process, for people; absent: another machine or container. */
  readonly by?: string;
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
