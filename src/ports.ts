import type { StoreKind, Zone } from './primitives/records.js';
import type { Secret } from './primitives/secret.js';
import type { Step } from './primitives/step.js';

/** Time. `now` is wall-clock milliseconds since 1970; `monotonic` never jumps back. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Resolves after `ms` (at most 24 h), rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface OutboundRequest {
  readonly method: string;
  /** The raw URL, gated by the door before it is parsed. */
  readonly url: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Who named this URL: the person (`typed`), or a server of that zone. */
  readonly namedBy: 'person' | Zone;
  /** `same-origin`: GET only, at most 3 hops, each checked anew. `refuse`: a 3xx is a failure.
   * `report`: a 3xx is an answer like any other, never followed. */
  readonly redirects: 'same-origin' | 'refuse' | 'report';
  /** Limits in milliseconds and bytes. `totalMs: null` and `maxBytes: null` are for streams. */
  readonly limits: {
    readonly totalMs: number | null;
    readonly headersMs: number;
    readonly maxBytes: number | null;
  };
  readonly signal: AbortSignal;
}

export interface OutboundResponse extends AsyncDisposable {
  readonly status: number;
  /** The URL that answered, after redirects. */
  readonly url: string;
  /** In order of arrival, names in lower case, repeated names repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The zone of the address that was connected to (`public` through an HTTP proxy). */
  readonly zone: Zone;
  /** Decoded chunks, under `maxBytes` and the deadline. Can be read once. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body. @throws Failure `too_large`, `timed_out`, `network_failed` */
  bytes(): Promise<Uint8Array>;
}

/** The one way out: every request of the program goes through here. */
export interface OutboundDoor extends AsyncDisposable {
  /** @throws Failure `url_refused`, `address_refused`, `redirect_refused`, `tls_failed`, `network_failed`, … */
  send(request: OutboundRequest): Promise<OutboundResponse>;
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

/** How this client identified itself to an authorization server. */
export type RegistrationWay = 'preregistered' | 'metadata' | 'dynamic' | 'ask';
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

/**
 * What is known of one login and is no secret. Its secrets are the store's item `key`, and so are the endpoints that
 * secrets are sent to: this file could be changed by another program.
 */
export interface LoginRecord {
  /** Store key: hash over (resource, issuer, client identifier, account). */
  readonly key: string;
  /** Short name given with `--name`. */
  readonly name?: string;
  /** The server's canonical URL as the person named it; tokens attach at or below it only. */
  readonly server: string;
  /** `resource` exactly as the protected resource metadata spells it. */
  readonly resource: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly account: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970; null when the authorization server did not say. */
  readonly expiresAt: number | null;
  readonly obtainedAt: number;
  readonly refreshable: boolean;
  readonly store: SecretStore['kind'];
  readonly zone: Zone;
  readonly registration: RegistrationWay;
  /** Set when the refresh token was refused for good: a new login is needed. */
  readonly dead?: boolean;
  /** Warnings shown at login and repeated by `status`. */
  readonly warnings?: readonly string[];
  /** Grows with each login of this key, so that an older writer notices. */
  readonly generation: number;
}

/** A client registration kept for one issuer; its secret, if any, is the store's item `key`. */
export interface RegistrationRecord {
  readonly key: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly way: 'preregistered' | 'dynamic' | 'ask';
  readonly authMethod: ClientAuthMethod;
  readonly hasSecret: boolean;
  /** The redirect URI registered (its port may vary on loopback, RFC 8252 section 7.3). */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970; null: never. */
  readonly secretExpiresAt: number | null;
}

export interface IndexDocument {
  readonly version: 1;
  readonly logins: readonly LoginRecord[];
  readonly registrations: readonly RegistrationRecord[];
}

/** The small file without secrets that says which logins there are. */
export interface CredentialIndex {
  /** @throws Failure `index_corrupt`, `index_newer`, `index_unsafe` */
  read(): Promise<IndexDocument>;
  /** Reads, changes and replaces it under a lock between processes. */
  update(change: (document: IndexDocument) => IndexDocument): Promise<IndexDocument>;
}

/** Locks between processes, by name. */
export interface Locks {
  /** @throws Failure `busy` after `waitMs` */
  acquire(
    name: string,
    options: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<AsyncDisposable>;
}

export interface Browser {
  /** Hands our own one-time loopback URL to the person's browser. Never throws. */
  open(url: string): Promise<'opened' | 'unavailable'>;
}

/** The parameters of the one callback that carried our state, as they came, decoded, in order. */
export type AuthorizationAnswer = readonly (readonly [name: string, value: string])[];

export interface CallbackListener extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/callback` */
  readonly redirectUri: string;
  /** Arms the listener: from now on a callback with `state` ends the wait.
   * Returns our one-time URL, which redirects the browser to `authorizationUrl`. */
  arm(options: { readonly state: Secret; readonly authorizationUrl: string }): string;
  /** The first callback with our state; the browser is kept waiting until `finish`.
   * @throws Failure `callback_unusable`, `link_taken_twice`, or the signal's reason */
  answer(signal: AbortSignal): Promise<AuthorizationAnswer>;
  /** True once our one-time URL was asked for a second time, which `answer` fails on while it waits:
   * look again before the answer is redeemed and stored, somebody else may have had the first turn. */
  readonly linkTakenTwice: boolean;
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
  /** The bytes of stdin; can be read once. @throws Failure `file_unreadable` while it is read */
  stdin(): AsyncIterable<Uint8Array>;
  /** Makes or replaces a file, as the bytes come. @throws Failure `file_unwritable`, or what `chunks` throws */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
}

export interface Ports {
  readonly clock: Clock;
  readonly door: OutboundDoor;
  readonly store: SecretStore;
  readonly index: CredentialIndex;
  readonly locks: Locks;
  readonly browser: Browser;
  readonly listeners: CallbackListeners;
  readonly terminal: Terminal;
  readonly journal: Journal;
  readonly progress: Progress;
}
