import { defaultLimits, type Limits } from '../core/limits.js';
import { gateUrl, resolveReference } from '../core/url.js';
import { redirectRefused, urlRefused } from './address-failures.js';
import { asksForCoding, attempt, checkMethod, requestHeaders } from './attempt.js';
import { Deadline } from './deadline.js';
import type { Head } from './exchange.js';
import { type HttpOptions, type Origins, openClientOrigins } from './origins.js';
import { usualPoolLimits } from './pool.js';
import type { HttpClient, HttpRequest, HttpResponse } from './request.js';
import { leaveUnread, makeResponse } from './response.js';
import type { ClientConnection } from './undici-connection.js';

/** Longest URL that is sent; what a server names is held to less where it is read. */
const maxUrl = 8_192;

/**
 * The one way out. Every request passes the same checks in the same order: the raw URL, the address it
 * leads to, the connection to that very address, the limits in time and size, redirects.
 */
export function createHttpClient(options: HttpOptions): HttpClient {
  const limits = options.limits ?? defaultLimits;
  const origins = openClientOrigins(options, usualPoolLimits);
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
        { origins, userAgent: options.userAgent, closing: closing.signal },
      );
    },
    check: async ({ url, namedBy, signal }) => {
      const gated = gateUrl(url, maxUrl);
      if (!gated.ok) throw urlRefused(url, gated.problem, namedBy);
      await origins.check(gated.url, namedBy, AbortSignal.any([signal, closing.signal]));
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await origins[Symbol.asyncDispose]();
    },
  };
}

/** A rehearsal that fails is of no consequence: the real answer only takes longer. */
async function tryRehearsal(): Promise<void> {
  const { rehearse } = await import('./undici-connection.js');
  await rehearse().catch(() => undefined);
}

interface Inside {
  readonly origins: Origins<ClientConnection>;
  readonly userAgent: string;
  readonly closing: AbortSignal;
}

async function send(request: HttpRequest, inside: Inside): Promise<HttpResponse> {
  const gated = gateUrl(request.url, maxUrl);
  if (!gated.ok) throw urlRefused(request.url, gated.problem, request.namedBy);
  checkMethod(request.method);
  const headers = requestHeaders(request.headers ?? [], inside.userAgent);
  const deadline = new Deadline(gated.url.host, request.limits.totalMs, request.signal, inside.closing);
  try {
    deadline.signal.throwIfAborted();
    return await follow({ request, url: gated.url, headers, origins: inside.origins, deadline });
  } catch (error) {
    deadline.close();
    throw error;
  }
}

interface Journey {
  readonly request: HttpRequest;
  readonly url: URL;
  readonly headers: string[];
  readonly origins: Origins<ClientConnection>;
  readonly deadline: Deadline;
}

async function follow({ request, url: start, headers, origins, deadline }: Journey): Promise<HttpResponse> {
  const { signal } = deadline;
  let url = start;
  for (let hops = 0; ; hops += 1) {
    const pool = await origins.find(url, request.namedBy, signal);
    const { exchange, head } = await attempt(pool, { request, url, headers, signal });
    try {
      const next = nextHop(request, url, head, hops);
      if (next === undefined) {
        const keepCoding = asksForCoding(request.headers ?? []);
        const parts = { request, url: url.href, origin: pool.origin, head, exchange, keepCoding };
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

/** The limits of a request: what the person has set for that kind of request, else the request's own. */
export function limitsFor(own: HttpRequest['limits'], set: Limits): HttpRequest['limits'] {
  switch (own.of) {
    case 'metadata':
      return bounded(set.metadataSeconds, set.metadataKiB);
    case 'token':
      return bounded(set.tokenSeconds, set.tokenKiB);
    case 'answer':
      return { ...own, headersMs: set.answerSeconds * 1000 };
    default:
      return own;
  }
}

function bounded(seconds: number, kib: number): HttpRequest['limits'] {
  return { totalMs: seconds * 1000, headersMs: seconds * 1000, maxBytes: kib * 1024 };
}

const maxHops = 3;

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Where an answer sends the request next; undefined when it is an answer like any other. Followed are
 * only GETs within the origin, at most 3 times; everything else that redirects is a failure, unless the
 * caller wants redirects reported. A body is never sent again.
 * @param hops how many redirects were followed to get here
 * @throws Failure `redirect_refused`
 */
export function nextHop(
  request: Pick<HttpRequest, 'method' | 'redirects'>,
  from: URL,
  head: Head,
  hops: number,
): URL | undefined {
  if (request.redirects === 'report' || !redirectStatuses.has(head.status)) return undefined;
  const locations = head.headers.filter(([name]) => name === 'location').map(([, value]) => value);
  const to = locations[0];
  const refuse = (why: string): Error => redirectRefused({ from: from.href, status: head.status, to, why });
  if (request.redirects === 'refuse') throw refuse('this kind of request is sent to one address only');
  if (request.method !== 'GET') throw refuse('only a GET may be redirected');
  if (to === undefined || locations.length > 1) throw refuse('it does not say one place to go');
  if (hops >= maxHops) throw refuse(`more than ${maxHops} redirects in a row`);
  const target = resolveReference(to, from.href);
  if (target === undefined) throw refuse('the place is not written as a plain URL');
  if (target.origin !== from.origin) throw refuse('it leads to another origin');
  target.hash = '';
  return target;
}
