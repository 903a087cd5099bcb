import type { Failure } from '../core/failure.js';
import type { Secret } from '../core/secret.js';
import type { EventBytes } from '../core/text/event-stream.js';
import { redirectRefused } from '../http/address-failures.js';
import { ActiveSet } from '../relay/active-set.js';
import type { Authorizer, ProtectedTarget, RefusalHead } from '../tokens/authorizer.js';
import { exchange, MemoryBudget, type Outcome, type RunningExchange } from './exchange.js';
import type { HostPipe } from './host-pipe.js';
import type { Wire, WireRequest } from './wire.js';

export interface TransportParts {
  readonly wire: Wire;
  readonly host: HostPipe;
  readonly authorizer: Authorizer;
  /** How long a server may take for the head of an answer, in milliseconds. */
  readonly answerMs: number;
  /** Most bytes of one message; all answers under way may hold twice as many together. */
  readonly largestMessageBytes: number;
}

type Headers = readonly (readonly [name: string, value: string])[];

/** One request of the bridge, before the token is put on it. */
export interface OutgoingMessage {
  readonly request: Omit<WireRequest, 'headers' | 'headersMs'>;
  /** Asked for each attempt anew. */
  readonly headers: () => Headers;
  /** What it does, for counting step-ups (rule 5.6). */
  readonly operation: () => string;
  readonly reach?: ProtectedTarget['reach'];
  /** Whether it can be sent again when a connection that was kept alive broke before an answer. */
  readonly repeatable: boolean;
  readonly succeeded?: ((header: (name: string) => string | undefined) => void) | undefined;
  /** False where it brought the host nothing. */
  readonly event: (event: EventBytes) => boolean;
  /** Is given each attempt as it begins. */
  readonly began?: (running: RunningExchange) => void;
}

/** Sends with the login's token, and once more where the authorizer has a better one. */
export class Transport {
  readonly #parts: TransportParts;
  readonly #budget: MemoryBudget;
  readonly #running = new ActiveSet<RunningExchange>();
  readonly #over = (running: RunningExchange) => void this.#running.remove(running);
  #latest: { readonly given: Headers; readonly bearer: Secret; readonly headers: Headers } | undefined;
  #ended: Failure | undefined;

  constructor(parts: TransportParts) {
    this.#parts = parts;
    this.#budget = new MemoryBudget(2 * parts.largestMessageBytes);
  }

  /**
   * How it ended; a 401, and a 403 for want of scope, only as the failure of what could be done about it.
   * @throws Failure of the authorizer; the reason of `end`
   */
  async send(outgoing: OutgoingMessage): Promise<Outcome> {
    const { authorizer } = this.#parts;
    const { url } = outgoing.request;
    const { operation, reach } = outgoing;
    const target = { url, operation, repeatable: () => true, ...(reach && { reach }) };
    const got = authorizer.authorize(target);
    let authorized = got instanceof Promise ? await got : got;
    let repeated = false;
    for (;;) {
      if (this.#ended !== undefined) throw this.#ended;
      const outcome = await this.#once(outgoing, authorized.token?.bearer);
      if (this.#ended !== undefined) throw this.#ended;
      if (outcome.kind === 'failed') {
        if (!outcome.unanswered || !outgoing.repeatable || repeated) return outcome;
        repeated = true;
        continue;
      }
      const retried = authorizer.retry(authorized, outcome.kind === 'refused' ? outcome : accepted);
      const again = retried && (await retried);
      if (again === undefined) return redirected(outgoing, outcome);
      authorized = again;
    }
  }

  /** Ends everything that is under way; nothing is sent from then on. */
  end(reason: Failure): void {
    this.#ended = reason;
    for (const running of this.#running.all()) running.abort(reason);
  }

  #once(outgoing: OutgoingMessage, bearer: Secret | undefined): Promise<Outcome> {
    const { wire, host, answerMs, largestMessageBytes } = this.#parts;
    const { method, url, body, lasting } = outgoing.request;
    const headers = this.#headersWith(outgoing.headers(), bearer);
    const running = exchange({
      wire,
      host,
      budget: this.#budget,
      request: { method, url, body, lasting, headers, headersMs: answerMs },
      largestMessageBytes,
      succeeded: outgoing.succeeded,
      event: outgoing.event,
      over: this.#over,
    });
    this.#running.add(running);
    outgoing.began?.(running);
    return running.outcome;
  }

  /** The same object for the same headers and token: whoever judges them need not do it again. */
  #headersWith(given: Headers, bearer: Secret | undefined): Headers {
    if (bearer === undefined) return given;
    const latest = this.#latest;
    if (latest?.given === given && latest.bearer === bearer) return latest.headers;
    const headers: Headers = [...given, ['authorization', bearer.reveal()]];
    this.#latest = { given, bearer, headers };
    return headers;
  }
}

const accepted: RefusalHead = { status: 200, challenges: [] };

/** The token goes to one address; where a server sends a request on to is not followed. */
function redirected(outgoing: OutgoingMessage, outcome: Outcome): Outcome {
  if (outcome.kind !== 'refused') return outcome;
  if (outcome.status < 300 || outcome.status > 399) return outcome;
  const { url } = outgoing.request;
  const why = 'the token goes to the address of its login only';
  const error = redirectRefused({ from: url, status: outcome.status, to: outcome.location, why });
  return { kind: 'failed', error, unanswered: false };
}
