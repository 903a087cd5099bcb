import { CookieJar } from '../core/text/cookies.js';

/** A request that is told by calls as its response comes, for what has to be quick and pass bytes through. */
export interface WireRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Named by the person, or an address on the same origin. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Those for a second attempt, where one of them is good for one alone. */
  readonly headersAgain?: (() => WireRequest['headers']) | undefined;
  readonly body: Uint8Array | undefined;
  /** Whether the response may be a stream without an end: those have connections of their own. */
  readonly lasting: boolean;
  /** On a connection that was not used before. */
  readonly fresh?: boolean;
  /** How long the head of the response may take, in milliseconds. */
  readonly headersMs: number;
}

/** Is told what comes; never before `send` has returned, and not after `end` or `failed`. */
export interface WireWatcher {
  /** @param header The values of a header, whose name is given in lower case */
  head(status: number, header: (name: string) => readonly string[]): void;
  data(chunk: Uint8Array): void;
  end(): void;
  /** @param unanswered A connection that was kept alive was closed before a byte of a response came. */
  failed(error: unknown, unanswered: boolean): void;
}

/** Hands on what it is told: for what looks at a part of it. */
export class PassingWatcher implements WireWatcher {
  readonly #next: WireWatcher;

  constructor(next: WireWatcher) {
    this.#next = next;
  }

  head(status: number, header: (name: string) => readonly string[]): void {
    this.#next.head(status, header);
  }

  data(chunk: Uint8Array): void {
    this.#next.data(chunk);
  }

  end(): void {
    this.#next.end();
  }

  failed(error: unknown, unanswered: boolean): void {
    this.#next.failed(error, unanswered);
  }
}

export interface WireExchange {
  pause(): void;
  resume(): void;
  /** Ends it: nothing is told of it any more. */
  abort(): void;
}

/** The protocol client's way to the network: the checks of the HTTP client, responses as they come, redirects reported. */
export interface Wire {
  /** For a few requests: each that cannot be repeated gets a connection of its own, as servers may close those just used. */
  readonly isBrief?: boolean;
  send(request: WireRequest, watcher: WireWatcher): WireExchange;
  /** Everything that is under way fails with that; what is sent afterwards does not. */
  cut(reason: unknown): void;
}

/** Sends the server's cookies back, for one conversation: those that came for one credential go with no other one. */
export class CookieWire implements Wire {
  readonly #wire: Wire;
  readonly #keyNow: () => string | undefined;
  #key: string | undefined;
  #jar = new CookieJar();
  #repeated:
    | { readonly given: WireRequest['headers']; readonly cookie: string; headers: WireRequest['headers'] }
    | undefined;

  /** @param keyNow Which credential is in use */
  constructor(wire: Wire, keyNow: () => string | undefined) {
    this.#wire = wire;
    this.#keyNow = keyNow;
  }

  send(request: WireRequest, watcher: WireWatcher): WireExchange {
    const key = this.#keyNow();
    if (key !== this.#key) this.#jar = new CookieJar();
    this.#key = key;
    const jar = this.#jar;
    const cookie = jar.headerFor(request.url);
    const sent = cookie === undefined ? request : this.#with(request, cookie);
    return this.#wire.send(sent, new CookieWatcher(watcher, (lines) => jar.take(lines, request.url)));
  }

  cut(reason: unknown): void {
    this.#wire.cut(reason);
  }

  #with(request: WireRequest, cookie: string): WireRequest {
    const { headers: given, headersAgain } = request;
    const added = (headers: WireRequest['headers']) => [...headers, ['cookie', cookie] as const];
    if (this.#repeated?.given !== given || this.#repeated.cookie !== cookie) {
      this.#repeated = { given, cookie, headers: added(given) }; // the same object: it need not be validated again
    }
    const { headers } = this.#repeated;
    return { ...request, headers, headersAgain: headersAgain && (() => added(headersAgain())) };
  }
}

class CookieWatcher extends PassingWatcher {
  readonly #take: (lines: readonly string[]) => void;

  constructor(next: WireWatcher, take: (lines: readonly string[]) => void) {
    super(next);
    this.#take = take;
  }

  override head(status: number, header: (name: string) => readonly string[]): void {
    const lines = header('set-cookie');
    if (lines.length > 0) this.#take(lines);
    super.head(status, header);
  }
}
