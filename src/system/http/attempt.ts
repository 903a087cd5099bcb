import { timedOut } from '../../errors/network.js';
import type { OutboundRequest } from '../../primitives/outbound.js';
import type { ClientLane } from './client-lane.js';
import { Exchange, type Head } from './exchange.js';
import type { Lanes } from './lanes.js';
import { patientTimer } from './patient-timer.js';
import { requestBody } from './request-body.js';

/** One request to one URL, ready to be written to a connection. */
export interface Prepared {
  readonly request: OutboundRequest;
  readonly url: URL;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly signal: AbortSignal;
}

export interface Answered {
  readonly exchange: Exchange;
  readonly head: Head;
}

/**
 * Sends a request and waits for the head of the answer. A GET or HEAD that went out on a kept-alive
 * connection just as the server closed it is sent once more, because no byte of an answer came (RFC
 * 9110 section 9.2.2); nothing else is ever sent twice.
 * @throws Failure `network_failed`, `tls_failed`, `timed_out`, `too_large`; the signal's reason
 */
export async function attempt(lanes: Lanes<ClientLane>, prepared: Prepared): Promise<Answered> {
  const first = await dispatch(lanes, prepared);
  try {
    return { exchange: first.exchange, head: await first.exchange.head };
  } catch (error) {
    const { method } = prepared.request;
    const safe = method === 'GET' || method === 'HEAD';
    if (!safe || !first.reused || !first.exchange.endedUnanswered) throw error;
  }
  const { exchange } = await dispatch(lanes, prepared);
  return { exchange, head: await exchange.head };
}

interface Dispatched {
  readonly exchange: Exchange;
  readonly reused: boolean;
}

async function dispatch(
  lanes: Lanes<ClientLane>,
  { request, url, headers, signal }: Prepared,
): Promise<Dispatched> {
  const { totalMs, headersMs } = request.limits;
  const lane = await lanes.borrow(totalMs === null ? 'stream' : 'bounded', signal);
  const ending = new AbortController();
  const exchange = new Exchange(lanes.place, request.method, (complete) => {
    timer.stop();
    signal.removeEventListener('abort', abort);
    ending.abort();
    if (!complete) void lane[Symbol.asyncDispose]();
    lanes.release(lane);
  });
  const abort = (): void => exchange.fail(signal.reason);
  const late = (): void =>
    exchange.fail(timedOut(lanes.place.host, 'sending the headers of its answer', headersMs));
  const timer = patientTimer(headersMs, late);
  signal.addEventListener('abort', abort, { once: true });
  exchange.head.then(
    () => timer.stop(),
    () => undefined,
  );
  const body = requestBody(request.body, ending.signal, {
    piece: () => void timer.restart(),
    failed: (error) => exchange.fail(error),
  });
  lane.dispatch({ path: url.pathname + url.search, method: request.method, headers, body }, exchange);
  return { exchange, reused: lane.reused };
}
