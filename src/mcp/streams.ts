import { Failure } from '../core/failure.js';
import type { Clock } from '../core/ports.js';
import type { EventBytes } from '../core/text/event-stream.js';
import type { Outcome } from './exchange.js';
import { httpFailed } from './failures.js';
import type { Inbound } from './inbound.js';
import type { Pending, PendingRequests } from './pending.js';
import type { Session } from './session.js';
import type { Transport } from './transport.js';

/** A stream that breaks is resumed so many times in a row without a message in between. */
const maxResumptions = 5;

const firstRetryMs = 1_000;

const longestRetryMs = 60_000;

/** A stream open for this long counts as working, even if it brought nothing. */
const healthyMs = 30_000;

/** How many identifiers are kept, to know events that come twice. */
const rememberedIds = 256;

export interface ClientParts {
  readonly server: string;
  readonly clock: Clock;
  readonly transport: Transport;
  /** Sessions belong to the credential that they were opened with. */
  readonly credential: { readonly key: string | undefined };
  readonly session: Session;
  readonly inbound: Inbound;
  readonly pending: PendingRequests;
  /** A line for whoever reads the log. */
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The position in an event stream, for resuming it. */
export class Position {
  lastEventId: string | undefined;
  retryMs = firstRetryMs;
  #seen: string[] = [];
  isResumed = false;

  /** False for an event that had come before the stream was resumed. */
  note({ id, retry }: EventBytes): boolean {
    this.retryMs = retry ?? this.retryMs;
    if (id === undefined) return true;
    this.lastEventId = id === '' ? undefined : id;
    if (id === '') return true;
    const isRepeated = this.isResumed && this.#seen.includes(id);
    this.#seen.push(id);
    if (this.#seen.length > rememberedIds) this.#seen.shift();
    return !isRepeated;
  }
}

/**
 * The stream that was to bring a response has ended without it: resumes it after its last event, until the response is
 * there. Why it never came, if so.
 * @throws Failure of the transport
 */
export async function resume(
  parts: ClientParts,
  pending: Pending,
  position: Position,
  ended: Outcome & { readonly kind: 'stream' },
): Promise<Outcome | undefined> {
  let error = ended.error;
  for (let inVain = 0; inVain < maxResumptions; inVain += 1) {
    if (position.lastEventId === undefined || pending.isCancelled) break;
    await pause(parts, position.retryMs, pending);
    if (!parts.pending.has(pending)) return undefined;
    const { outcome, messages } = await listen(parts, position, pending);
    if (!parts.pending.has(pending)) return undefined;
    if (messages > 0) inVain = -1;
    error = outcome.kind === 'stream' || outcome.kind === 'failed' ? outcome.error : undefined;
    if (outcome.kind === 'refused') error = httpFailed(parts.server, outcome.status);
    if (outcome.kind === 'refused' && outcome.status < 500) break;
  }
  return { kind: 'stream', error };
}

/** Why what a server says unasked has come to an end. */
export interface StreamEnd {
  /** Whether anything of that kind was ever open. */
  readonly wasOpen: boolean;
  /** What it failed with, if so. */
  readonly error: unknown;
}

/** The session's own event stream. */
interface SessionStream {
  /** Resolves once the server has taken it, or has none. */
  readonly opened: Promise<void>;
  /** Resolves once it has ended for good. */
  readonly over: Promise<StreamEnd>;
}

/**
 * Opens the session's own event stream (GET), which a server need not have, for as long as the session lives.
 */
export function keepListening(parts: ClientParts): SessionStream {
  const { session, signal, tell } = parts;
  if (session.revision === undefined) {
    return { opened: Promise.resolve(), over: Promise.resolve({ wasOpen: false, error: undefined }) };
  }
  let wasOpen = false;
  let resolve: () => void = () => undefined;
  const opened = new Promise<void>((done) => {
    resolve = done;
  });
  const taken = () => {
    wasOpen = true;
    resolve();
  };
  const over = stayOn(parts, taken)
    .then(
      (error) => ({ wasOpen, error }),
      (error: unknown) => {
        if (!signal.aborted) tell(error instanceof Failure ? error.message : 'The stream of the session ended.');
        return { wasOpen, error };
      },
    )
    .finally(resolve);
  return { opened, over };
}

/** To its end, and what the server said then, if it refused. @throws Failure of the authorizer */
async function stayOn(parts: ClientParts, opened: () => void): Promise<unknown> {
  const { session, signal, tell, clock } = parts;
  const number = session.number;
  const position = new Position();
  let inVain = 0;
  let isReported = false;
  while (!signal.aborted && session.number === number) {
    const began = clock.monotonic();
    const { outcome, messages } = await listen(parts, position, undefined, opened);
    const wasHealthy = messages > 0 || (outcome.kind === 'stream' && clock.monotonic() - began > healthyMs);
    inVain = wasHealthy ? 0 : inVain + 1;
    if (outcome.kind === 'failed' && outcome.error instanceof Failure && !isReported) {
      isReported = outcome.error.code === 'protocol_broken';
      if (isReported) tell(outcome.error.message);
    }
    if (outcome.kind === 'json' || outcome.kind === 'empty') return undefined;
    if (outcome.kind === 'refused' && outcome.status < 500) return httpFailed(parts.server, outcome.status);
    const doubled = position.retryMs * 2 ** Math.min(Math.max(inVain - 1, 0), 20);
    // Up to a quarter more, so that all of a server's clients do not come back at once.
    await pause(parts, Math.min(doubled, longestRetryMs) * (1 + Math.random() / 4), undefined);
  }
  return undefined;
}

async function listen(
  parts: ClientParts,
  position: Position,
  pending: Pending | undefined,
  opened?: () => void,
): Promise<{ readonly outcome: Outcome; readonly messages: number }> {
  const { transport, session, inbound, server, credential } = parts;
  let messages = 0;
  if (position.lastEventId !== undefined) position.isResumed = true;
  const outcome = await transport.send({
    request: { method: 'GET', url: server, body: undefined, lasting: true },
    headers: () => [
      ['accept', 'text/event-stream'],
      ...session.headers(credential.key),
      ...(position.lastEventId === undefined ? [] : ([['last-event-id', position.lastEventId]] as const)),
    ],
    operation: () => `GET ${new URL(server).pathname}`,
    repeatable: true,
    succeeded: opened,
    event: (event) => {
      const isWanted = position.note(event) && inbound.event(event, undefined);
      if (isWanted) messages += 1;
      return isWanted;
    },
    began: (running) => {
      if (pending !== undefined) void pending.settled.then(() => running.abort(undefined));
    },
  });
  return { outcome, messages };
}

/** Waits, unless the request is settled meanwhile. */
async function pause(parts: ClientParts, ms: number, pending: Pending | undefined): Promise<void> {
  const waiting = new AbortController();
  const signal = AbortSignal.any([parts.signal, waiting.signal]);
  const slept = parts.clock.sleep(ms, signal).catch(() => undefined);
  await (pending === undefined ? slept : Promise.race([slept, pending.settled]));
  waiting.abort();
  parts.signal.throwIfAborted();
}
