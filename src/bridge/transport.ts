import type { Failure } from '../core/failure.js';
import type { Clock } from '../core/ports.js';
import type { Secret } from '../core/secret.js';
import type { EventBytes } from '../core/text/event-stream.js';
import { redirectRefused } from '../http/address-failures.js';
import { ActiveSet } from '../relay/active-set.js';
import { withServerWords } from '../tokens/failures.js';
import { serverWords } from '../tokens/server-words.js';
import { type WantedScope, wantedScope } from '../tokens/step-up.js';
import type { Authorization } from './authorization.js';
import { exchange, MemoryBudget, type Outcome, type RunningExchange } from './exchange.js';
import type { HostPipe } from './host-pipe.js';
import type { Wire, WireRequest } from './wire.js';

export interface CourierParts {
  readonly wire: Wire;
  readonly host: HostPipe;
  readonly clock: Clock;
  readonly authorization: Authorization;
  /** How long a server may take for the head of an answer, in milliseconds. */
  readonly answerMs: number;
  /** Most bytes of one message; all answers under way may hold twice as many together. */
  readonly largestMessageBytes: number;
}

type Headers = readonly (readonly [name: string, value: string])[];

/** One request of the bridge, before the token is put on it. */
export interface Errand {
  readonly request: Omit<WireRequest, 'headers' | 'headersMs'>;
  /** Asked for each attempt anew. */
  readonly headers: () => Headers;
  /** What it does, for counting step-ups (rule 5.6). */
  readonly operation: () => string;
  /** Whether it can be sent again when a connection that was kept alive broke before an answer. */
  readonly repeatable: boolean;
  readonly succeeded?: ((header: (name: string) => string | undefined) => void) | undefined;
  /** False where it brought the host nothing. */
  readonly event: (event: EventBytes) => boolean;
  /** Is given each attempt as it begins. */
  readonly began?: (running: RunningExchange) => void;
}

/** Sends with the login's token: on 401 one refresh and one retry, on 403 for want of scope a step-up and one retry. */
export class Courier {
  readonly #parts: CourierParts;
  readonly #budget: MemoryBudget;
  readonly #running = new ActiveSet<RunningExchange>();
  readonly #over = (running: RunningExchange) => void this.#running.remove(running);
  #latest: { readonly given: Headers; readonly bearer: Secret; readonly headers: Headers } | undefined;
  #ended: Failure | undefined;

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#budget = new MemoryBudget(2 * parts.largestMessageBytes);
  }

  /**
   * How it ended; a 401, and a 403 for want of scope, only as the failure of what could be done about it.
   * @throws Failure of the authorization; the reason of `end`
   */
  async send(errand: Errand): Promise<Outcome> {
    const { authorization } = this.#parts;
    let renewed = 0;
    let widened = 0;
    let stepUp: Awaited<ReturnType<typeof authorization.widen>>;
    let repeated = false;
    for (;;) {
      const got = authorization.bearer();
      const bearer = got instanceof Promise ? await got : got;
      if (this.#ended !== undefined) throw this.#ended;
      const outcome = await this.#once(errand, bearer);
      if (this.#ended !== undefined) throw this.#ended;
      if (outcome.kind === 'failed' && outcome.unanswered && errand.repeatable && !repeated) {
        repeated = true;
        continue;
      }
      if (outcome.kind !== 'refused') {
        if (outcome.kind !== 'failed') await authorization.worked(bearer);
        await stepUp?.helped();
        return outcome;
      }
      const wants = wantsOf(outcome);
      if (outcome.status === 401 && renewed < 2) {
        try {
          await authorization.renew(bearer, renewed > 0);
        } catch (error) {
          throw withServerWords(error, serverWords(outcome));
        }
        renewed += 1;
      } else if (wants !== undefined && widened < 3) {
        stepUp = await authorization.widen(wants, errand.operation());
        widened += 1;
      } else {
        return redirected(errand, outcome);
      }
    }
  }

  /** Ends everything that is under way; nothing is sent from then on. */
  end(reason: Failure): void {
    this.#ended = reason;
    for (const running of this.#running.all()) running.abort(reason);
  }

  #once(errand: Errand, bearer: Secret | undefined): Promise<Outcome> {
    const { wire, host, answerMs, largestMessageBytes } = this.#parts;
    const { method, url, body, lasting } = errand.request;
    const headers = this.#headersWith(errand.headers(), bearer);
    const running = exchange({
      wire,
      host,
      budget: this.#budget,
      request: { method, url, body, lasting, headers, headersMs: answerMs },
      largestMessageBytes,
      succeeded: errand.succeeded,
      event: errand.event,
      over: this.#over,
    });
    this.#running.add(running);
    errand.began?.(running);
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

function wantsOf(outcome: Extract<Outcome, { kind: 'refused' }>): WantedScope | undefined {
  return outcome.status === 403 ? wantedScope(outcome.challenges) : undefined;
}

/** The token goes to one address; where a server sends a request on to is not followed. */
function redirected(errand: Errand, outcome: Extract<Outcome, { kind: 'refused' }>): Outcome {
  if (outcome.status < 300 || outcome.status > 399) return outcome;
  const { url } = errand.request;
  const why = 'the token goes to the address of its login only';
  const error = redirectRefused({ from: url, status: outcome.status, to: outcome.location, why });
  return { kind: 'failed', error, unanswered: false };
}
