import { Failure } from '../core/failure.js';
import type { SecretHeader } from '../core/secret.js';
import { CookieJar } from '../core/text/cookies.js';
import type { EventBytes } from '../core/text/event-stream.js';
import { withSecretHeaders } from '../core/text/secret-headers.js';
import { endedEarly } from '../http/network-failures.js';
import { Exchange, type ExchangeParts, type Outcome } from './exchange.js';
import { MemoryBudget } from './memory-budget.js';
import type { WireRequest } from './wire.js';

/** A request to the server, as far as its token goes. */
export interface AuthorizerTarget {
  readonly url: string;
  readonly method: string;
  /** What it does, for counting step-ups (rule 5.6). */
  operation(): string;
  repeatable(): boolean;
  /** `host`: the server itself has named this address for messages, on its own origin (older transport). */
  reach?(): 'server' | 'host';
}

export interface AuthorizedTarget {
  /** The token, and what the server wants beside it; empty without both. The same list for the same token. */
  readonly own: readonly SecretHeader[];
  /** To be told of a success, as soon as its head is there; absent: nobody asks. */
  readonly succeeded?: ((header: (name: string) => string | undefined) => void) | undefined;
}

/** Puts the login's token on requests, and says after each response whether there is a better one. */
export interface RequestAuthorizer {
  authorize(target: AuthorizerTarget): AuthorizedTarget | Promise<AuthorizedTarget>;
  /** The same with another token; undefined, or resolving to it: the response stands. @throws Failure */
  retry(
    request: AuthorizedTarget,
    response: {
      readonly status: number;
      readonly challenges: readonly string[];
      readonly header?: (name: string) => string | undefined;
      readonly body?: Uint8Array;
    },
  ): Promise<AuthorizedTarget | undefined> | undefined;
  /** The same once more, as its connection broke before a response. */
  repeat(request: AuthorizedTarget): AuthorizedTarget;
}

export interface TransportParts extends Pick<ExchangeParts, 'wire' | 'host' | 'meter' | 'maxMessageBytes'> {
  /** For a few requests: each that cannot be repeated gets a connection of its own, as servers may close those just used. */
  readonly isBrief?: boolean;
  readonly authorizer: RequestAuthorizer;
  /** Sessions and cookies belong to the credential that they came for. */
  readonly credential: { readonly key: string | undefined };
  /** How long a server may take for the head of a response, in milliseconds. */
  readonly headersMs: number;
}

type Headers = WireRequest['headers'];

/** One HTTP request, before the token is put on it. */
export interface OutgoingMessage {
  readonly request: Omit<WireRequest, 'headers' | 'headersMs'>;
  /** Asked for each attempt anew. */
  readonly headers: () => Headers;
  readonly operation: AuthorizerTarget['operation'];
  readonly reach?: AuthorizerTarget['reach'];
  /** Whether it can be sent again when its connection broke before a response; else it may have been carried out. */
  readonly repeatable: boolean;
  /** Told of a success. Throws to end the exchange. */
  readonly succeeded?: AuthorizedTarget['succeeded'];
  /** False where it brought the host nothing. */
  readonly event: (event: EventBytes) => boolean;
  /** Is given each attempt as it begins. */
  readonly began?: (exchange: Exchange) => void;
}

const accepted = { status: 200, challenges: [] };

/** Sends with the login's token, and once more where the authorizer has a better one. */
export class Transport {
  readonly #parts: TransportParts;
  readonly #budget: MemoryBudget;
  /** The server's cookies: those that came for one credential go with no other. */
  #jar = new CookieJar();
  #jarKey: string | undefined;
  #ended: Failure | undefined;
  /** Has the server closed a connection just as a request left? Then what cannot be repeated gets one of its own. */
  #closesEarly = false;

  constructor(parts: TransportParts) {
    this.#parts = parts;
    this.#budget = new MemoryBudget(2 * parts.maxMessageBytes); // of all responses together
  }

  /**
   * How it ended; a 401, and a 403 for want of scope, only as the failure of what could be done about it.
   * @throws Failure of the authorizer; the reason of `end`
   */
  async send(outgoing: OutgoingMessage): Promise<Outcome> {
    const { authorizer } = this.#parts;
    const { operation, reach, request } = outgoing;
    const { url, method } = request;
    const target = { url, method, operation, repeatable: () => true, ...(reach && { reach }) };
    const got = authorizer.authorize(target);
    let authorized = got instanceof Promise ? await got : got;
    let repeated = false;
    for (;;) {
      if (this.#ended !== undefined) throw this.#ended;
      const outcome = await this.#once(outgoing, authorized, repeated);
      if (this.#ended !== undefined) throw this.#ended;
      if (outcome.kind === 'failed') {
        this.#closesEarly ||= outcome.unanswered;
        if (!outgoing.repeatable && endedEarly(outcome.error)) return { ...outcome, error: mayHaveRun(outcome.error) };
        if (!outcome.unanswered || !outgoing.repeatable || repeated) return outcome;
        repeated = true;
        authorized = authorizer.repeat(authorized);
        continue;
      }
      const retried = authorizer.retry(authorized, outcome.kind === 'refused' ? outcome : accepted);
      const again = retried && (await retried);
      if (again === undefined) return outcome;
      authorized = again;
    }
  }

  /** Ends everything that is under way; nothing is sent from then on. */
  end(reason: Failure): void {
    this.#ended = reason;
    this.#parts.wire.cut(reason);
  }

  #once(outgoing: OutgoingMessage, authorized: AuthorizedTarget, repeated: boolean): Promise<Outcome> {
    const { authorizer, wire, isBrief, host, meter, headersMs, maxMessageBytes } = this.#parts;
    const { succeeded } = authorized;
    const { method, url, body, lasting } = outgoing.request;
    const headersBy = ({ own }: AuthorizedTarget) => this.headersWith(outgoing.headers(), own, url);
    const again = () => headersBy(authorizer.repeat(authorized));
    const headers = headersBy(authorized);
    const jar = this.#jar; // of the credential that it is sent with
    const fresh = repeated || (!outgoing.repeatable && (this.#closesEarly || isBrief === true));
    const exchange = new Exchange({
      wire,
      host,
      meter,
      budget: this.#budget,
      request: { method, url, body, lasting, headers, headersMs, fresh, headersAgain: succeeded && again },
      maxMessageBytes,
      headed: (isSuccess, header) => {
        jar.take(header('set-cookie'), url);
        const first = (name: string) => header(name)[0];
        if (isSuccess) for (const one of [succeeded, outgoing.succeeded]) one?.(first);
      },
      event: outgoing.event,
    });
    outgoing.began?.(exchange);
    return exchange.outcome;
  }

  /** With the token, and the server's cookies. */
  headersWith(given: Headers, own: readonly SecretHeader[], url: string): Headers {
    const { key } = this.#parts.credential;
    if (key !== this.#jarKey) this.#jar = new CookieJar();
    this.#jarKey = key;
    const cookie = this.#jar.headerFor(url);
    const headers = withSecretHeaders(given, own);
    return cookie === undefined ? headers : [...headers, ['cookie', cookie]];
  }
}

function mayHaveRun(error: unknown): unknown {
  const remedy = 'The request may have been carried out: check before you try again.';
  return error instanceof Failure ? error.withRemedy(remedy) : error;
}
