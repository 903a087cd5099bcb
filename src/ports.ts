import type { FormatFailures, HandedOut, Renewal } from './ports/callers.js';
import type { Limits } from './primitives/limits.js';
import type { OutboundRequest, OutboundResponse } from './primitives/outbound.js';
import type { IndexDocument, StoreKind } from './primitives/records.js';
import type { Secret } from './primitives/secret.js';
import type { Step } from './primitives/step.js';

/** Time. `now` is wall-clock milliseconds since 1970; `monotonic` never jumps back. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Resolves after `ms` (at most 24 h), rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The one way out: every request of the program goes through here. */
export interface OutboundDoor extends AsyncDisposable {
  /** @throws Failure `url_refused`, `address_refused`, `redirect_refused`, `tls_failed`, `network_failed`, … */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Would a request there be let out? For an address that a browser is sent to. @throws as `send`, before it connects */
  check(target: Pick<OutboundRequest, 'url' | 'namedBy' | 'signal'>): Promise<void>;
}

/** Where secrets live: one item for one key, the key an ASCII hash. */
export interface SecretStore {
  readonly kind: StoreKind;
  /** Can it be read and written now? @throws Failure `store_unavailable`, `store_locked` */
  ready(): Promise<void>;
  read(key: string): Promise<Secret | undefined>;
  write(key: string, value: Secret): Promise<void>;
  /** True when there was something to remove. */
  remove(key: string): Promise<boolean>;
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
}

/** Where the answer to a refresh waits until the store has it, sealed with the refresh token that the store still holds. */
export interface Recovery {
  /**
   * Begins a refresh: takes room for its answer, of about `bytes` bytes, so that it is not found missing when it is needed,
   * and notes there whose refresh it is. The caller has the lock of that key.
   * @param spent The refresh token that is about to be sent; undefined where none is, and nothing can be kept.
   * @throws Failure `state_unsafe`, `state_unwritable`
   */
  begin(
    key: string,
    refresh: { readonly bytes: number; readonly spent: Secret | undefined },
  ): Promise<BegunRefresh>;
  /** Is there an answer that waits, whoever can open it? */
  isWaiting(key: string): Promise<boolean>;
  /** Undefined when there is none, or when this secret does not open it. @throws Failure `state_unsafe` */
  find(key: string, spent: Secret): Promise<Secret | undefined>;
  /**
   * Has another process begun a refresh with this refresh token, and may go on with it? Asked by who has the lock: the
   * other one had it, out of sight, and lost it. `since`: milliseconds since 1970.
   * @throws Failure `state_unsafe`
   */
  begunElsewhere(key: string, spent: Secret): Promise<{ readonly since: number } | undefined>;
  /** @throws Failure `state_unwritable` */
  forget(key: string): Promise<void>;
}

/** A refresh that is under way. Its room is given back at the end. */
export interface BegunRefresh extends AsyncDisposable {
  /** Keeps the answer for good, in the room taken for it; false where nothing was spent. @throws Failure `state_unwritable` */
  keep(value: Secret): Promise<boolean>;
}

/** What may be done only so often within an hour, counted over all processes. */
export interface Attempts {
  /** Counts one more; false, and not counted, after `most` in the last hour, or in `withinMs` where that is less.
   * @throws Failure of the state folder, `busy` */
  take(name: string, most: number, withinMs?: number): Promise<boolean>;
  /** Would `take` count one? @throws as `take` */
  allows(name: string, most: number): Promise<boolean>;
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

export interface Browser {
  /** Hands our own one-time loopback URL to the person's browser. Never throws. */
  open(url: string): Promise<'opened' | 'unavailable'>;
}

/** The parameters of the one callback that carried our state, as they came, decoded, in order. */
export type AuthorizationAnswer = readonly (readonly [name: string, value: string])[];

/** Who can read a link of ours: everybody on this machine in the opener's arguments, the person alone at the terminal. */
export type PlaceOfLink = 'opener' | 'terminal';

/** What a person is to agree to before the login page, where a program has begun the login. */
export interface LoginConsent {
  /** The program that began it. */
  readonly program: string;
  readonly server: string;
  readonly issuer: string;
}

/** An authorization request with a state of its own. */
export interface RequestToOpen {
  readonly state: Secret;
  readonly url: string;
  /** Works once (a request that was pushed): whoever comes again needs another. */
  readonly once: boolean;
}

export interface CallbackListener extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/callback` */
  readonly redirectUri: string;
  /** Arms the listener: from now on links lead on, and a callback with the state of a request that was made ends the wait. */
  arm(options: {
    /** Makes an authorization request; what it throws, it has told already. Undefined: the login is about to fail. */
    readonly newRequest: () => Promise<RequestToOpen | undefined>;
    readonly consent?: LoginConsent | undefined;
  }): void;
  /** A new one-time URL of ours, which redirects each browser to an authorization request of its own: one URL for each
   * place. With `consent` by way of a page of ours with a button. */
  link(place: PlaceOfLink): string;
  /** The address of an authorization request for the terminal, which the person may open on any computer. */
  address(): Promise<string | undefined>;
  /** Is this the state of a request of this login? */
  isOurs(state: string): boolean;
  /** The first callback with one of our states; the browser is kept waiting until `finish`.
   * @throws Failure `callback_unusable`, or the signal's reason */
  answer(signal: AbortSignal): Promise<AuthorizationAnswer>;
  /** True once the answer may be somebody else's: the opener's link was taken by two browsers, or by another user, and
   * the answer is none to a request of the terminal's; or it came by another browser than the one its request was made
   * for. Look right before it is redeemed. */
  readonly doubtful: boolean;
  /** How many callbacks had an unknown `state`, or none, and were ignored. */
  readonly ignored: number;
  /** Lets the waiting browser go on to our constant page: `stored` only once the token is. */
  finish(outcome: 'stored' | 'failed'): Promise<void>;
}

export interface CallbackListeners {
  /** @throws Failure `port_in_use`, `port_refused` */
  listen(options: { readonly port: number }): Promise<CallbackListener>;
}

/** A person at a terminal. Everything it shows goes to stderr. */
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
  /** Until disposed of, keys are not echoed, and `enter` is called for Enter. A question goes before it. */
  listen(enter: () => void): Disposable;
  /** With `--json`: one line for the program that reads it; else nothing. */
  event(event: Readonly<Record<string, string>>): void;
}

/** Takes each step of the engine as it ends. */
export interface Journal {
  record(step: Step): void;
  /** Every step so far, oldest first. */
  readonly steps: readonly Step[];
}

/** A step that has begun and takes time, for the spinner; ends with the next recorded step. */
export interface Progress {
  begin(what: string): void;
  end(): void;
}

/** Files that the person named on the command line, and stdin. No part of `Ports`: flows get bytes, not paths. */
export interface Files {
  /** True when stdin is a terminal: then nothing waits there to be read. */
  readonly stdinIsTerminal: boolean;
  /** A file's bytes in chunks. @throws Failure `file_unreadable` while it is read */
  read(path: string): AsyncIterable<Uint8Array>;
  /** May other users of this machine read that file? False where there is none, or where the system cannot tell. */
  isOpenToOthers(path: string): Promise<boolean>;
  /** The bytes of stdin; can be read once. @throws Failure `file_unreadable` while it is read */
  stdin(): AsyncIterable<Uint8Array>;
  /** Makes or replaces a file, as the bytes come. @throws Failure `file_unwritable`, or what `chunks` throws */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes a folder, and those above it, where there is none. @throws Failure `file_unwritable` */
  makeFolder(path: string): Promise<void>;
  /** Writes to a descriptor that our parent has opened for us, and closes it. @throws Failure `ready_fd_unusable` */
  tellReady(descriptor: number, text: string): Promise<void>;
}

export interface Ports {
  /** How long and how much is allowed: what the person has set, else the usual. @throws Failure `configuration_unusable` */
  readonly limits: () => Promise<Limits>;
  readonly clock: Clock;
  readonly door: OutboundDoor;
  /** Reads, writes and removes where the index says that the key's secret is. */
  readonly store: SecretStore;
  /** For what the index does not say: a new login's store, and those that it was in before. */
  readonly stores: SecretStores;
  readonly index: CredentialIndex;
  readonly recovery: Recovery;
  readonly attempts: Attempts;
  readonly renewal: Renewal;
  readonly failures: FormatFailures;
  readonly handedOut: HandedOut;
  readonly locks: Locks;
  readonly browser: Browser;
  readonly listeners: CallbackListeners;
  readonly terminal: Terminal;
  readonly journal: Journal;
  readonly progress: Progress;
}
