import { urlRefused } from '../../errors/url.js';
import type { OutboundDoor } from '../../ports.js';
import { defaultLimits, type Limits } from '../../primitives/limits.js';
import type { OutboundRequest, OutboundResponse } from '../../primitives/outbound.js';
import { gateUrl } from '../../primitives/url-gate.js';
import { attempt } from './attempt.js';
import type { ClientLane } from './client-lane.js';
import { Deadline } from './deadline.js';
import { usualLanes } from './lanes.js';
import { limitsFor } from './limits-for.js';
import { openClientPlaces } from './open-places.js';
import type { Places } from './places.js';
import { nextHop } from './redirects.js';
import { asksForCoding, checkMethod, requestHeaders } from './request-headers.js';
import type { Resolve } from './resolve-host.js';
import { makeResponse } from './response.js';
import type { TrustOptions } from './trust.js';
import { leaveUnread } from './unread.js';

/** Longest URL that is sent; what a server names is held to less where it is read. */
const longestUrl = 8_192;

export interface DoorOptions extends TrustOptions {
  /** Value of the `user-agent` header. */
  readonly userAgent: string;
  /** Asks the name service: `systemResolver`, or made-up answers in a test. */
  readonly resolve: Resolve;
  /** What the person allows; not given: the usual. */
  readonly limits?: Limits;
}

/**
 * The one way out. Every request passes the same checks in the same order: the raw URL, the address it
 * leads to, the connection to that very address, the limits in time and size, redirects.
 */
export function createDoor(options: DoorOptions): OutboundDoor {
  const limits = options.limits ?? defaultLimits;
  const places = openClientPlaces(options, usualLanes);
  const closing = new AbortController();
  let rehearsed: Promise<void> | undefined;
  return {
    send: async (request) => {
      // The answers of these endpoints are given once.
      if (request.limits.of === 'token') {
        rehearsed ??= tryRehearsal();
        await rehearsed;
      }
      return await send(
        { ...request, limits: limitsFor(request.limits, limits) },
        { places, userAgent: options.userAgent, closing: closing.signal },
      );
    },
    check: async ({ url, namedBy, signal }) => {
      const gated = gateUrl(url, longestUrl);
      if (!gated.ok) throw urlRefused(url, gated.problem, namedBy);
      await places.judge(gated.url, namedBy, AbortSignal.any([signal, closing.signal]));
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await places[Symbol.asyncDispose]();
    },
  };
}

/** A rehearsal that fails is of no consequence: the real answer only takes longer. */
async function tryRehearsal(): Promise<void> {
  const { rehearse } = await import('./rehearsal.js');
  await rehearse().catch(() => undefined);
}

interface Inside {
  readonly places: Places<ClientLane>;
  readonly userAgent: string;
  readonly closing: AbortSignal;
}

async function send(request: OutboundRequest, inside: Inside): Promise<OutboundResponse> {
  const gated = gateUrl(request.url, longestUrl);
  if (!gated.ok) throw urlRefused(request.url, gated.problem, request.namedBy);
  checkMethod(request.method);
  const headers = requestHeaders(request.headers ?? [], inside.userAgent);
  const deadline = new Deadline(gated.url.host, request.limits.totalMs, request.signal, inside.closing);
  try {
    deadline.signal.throwIfAborted();
    return await follow({ request, url: gated.url, headers, places: inside.places, deadline });
  } catch (error) {
    deadline.close();
    throw error;
  }
}

interface Journey {
  readonly request: OutboundRequest;
  readonly url: URL;
  readonly headers: string[];
  readonly places: Places<ClientLane>;
  readonly deadline: Deadline;
}

async function follow({
  request,
  url: start,
  headers,
  places,
  deadline,
}: Journey): Promise<OutboundResponse> {
  const { signal } = deadline;
  let url = start;
  for (let hops = 0; ; hops += 1) {
    const lanes = await places.find(url, request.namedBy, signal);
    const { exchange, head } = await attempt(lanes, { request, url, headers, signal });
    try {
      const next = nextHop(request, url, head, hops);
      if (next === undefined) {
        const keepCoding = asksForCoding(request.headers ?? []);
        const parts = { request, url: url.href, place: lanes.place, head, exchange, keepCoding };
        const response = makeResponse(parts);
        void exchange.end.then(() => deadline.close());
        return response;
      }
      await leaveUnread(exchange, false);
      url = next;
    } catch (error) {
      exchange.fail(error);
      throw error;
    }
  }
}
