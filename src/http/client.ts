import type { Client } from 'undici';
import { defaultLimits, type Limits } from '../core/limits.js';
import { gateUrl, resolveReference } from '../core/url.js';
import { attempt, ClientConnection } from './attempt.js';
import { connectTo } from './connector.js';
import { startDeadline } from './deadline.js';
import type { Head } from './exchange.js';
import { redirectRefused, requestInterrupted, timedOut, urlRefused } from './failures.js';
import { namedByServer } from './network-failures.js';
import { type HttpOptions, Origins } from './origins.js';
import { usualPoolLimits } from './pool.js';
import {
  checkMethod,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
  type Observe,
  type ObservedRequest,
  requestHeaders,
} from './request.js';
import { leaveUnread, makeResponse } from './response.js';

/** Longest URL that is sent; what a server names is held to less where it is read. */
const maxUrl = 8_192;

/** What all requests of a client share. */
interface World {
  readonly origins: Origins<ClientConnection>;
  readonly userAgent: string;
  readonly observe: Observe | undefined;
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal;
}

/**
 * The one way out. Every request passes the same checks in the same order: the raw URL, the address it
 * leads to, the connection to that very address, the limits in time and size, redirects.
 */
export function createHttpClient(options: HttpOptions & { readonly observe?: Observe | undefined }): HttpClient {
  const closing = new AbortController();
  const { userAgent, observe } = options;
  const world: World = { origins: openOrigins(options), userAgent, observe, closing: closing.signal };
  return {
    send: async (request) => {
      const limits = limitsFor(request.limits, options.limits ?? defaultLimits);
      return await send({ ...request, limits: request.beforeBody === undefined ? limits : withPause(limits) }, world);
    },
    check: async (target) => {
      const url = gatedUrl(target);
      using limit = startDeadline(undefined, [target.signal, closing.signal]);
      limit.signal.throwIfAborted();
      await world.origins.check(url, target.namedBy, limit.signal);
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort(requestInterrupted());
      await world.origins[Symbol.asyncDispose]();
    },
  };
}

function openOrigins(options: HttpOptions): Origins<ClientConnection> {
  return new Origins(options, usualPoolLimits, async (connector) => {
    // By its own file: all of undici takes 29 ms more to load (test/bench/README.md).
    // @ts-expect-error: the file has no types of its own
    const { default: client }: { default: typeof Client } = await import('undici/lib/dispatcher/client.js');
    return (origin, owner) =>
      new ClientConnection(
        client,
        origin,
        (signal) => connectTo(origin, connector, signal),
        (connection) => owner.gone(connection),
      );
  });
}

function gatedUrl({ url, namedBy }: Pick<HttpRequest, 'url' | 'namedBy'>): URL {
  const gated = gateUrl(url, maxUrl);
  if (!gated.ok) throw urlRefused(url, gated.problem, namedBy);
  return gated.url;
}

/** Does the work of one request, and calls the observer with what came of it, where there is one. @throws what the work throws */
async function observed<Result extends { readonly head: Head }>(
  observe: Observe | undefined,
  request: Pick<ObservedRequest, 'method' | 'url' | 'headers'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const began = performance.now();
  const seen = (response: Head | undefined, error: unknown) =>
    observe?.({ ...request, ms: performance.now() - began, response, error });
  try {
    const result = await work();
    seen(result.head, undefined);
    return result;
  } catch (error) {
    seen(undefined, error);
    throw error;
  }
}

async function send(request: HttpRequest, world: World): Promise<HttpResponse> {
  let url = gatedUrl(request);
  const { host } = url;
  const { totalMs } = request.limits;
  checkMethod(request.method);
  const headers = requestHeaders(request.headers ?? [], world.userAgent);
  const { headersAgain: again } = request;
  const headersAgain = again && (() => requestHeaders(again(), world.userAgent));
  const failure = (): Error => timedOut(host, 'the whole request, with its response', totalMs ?? 0);
  const time = totalMs === null ? undefined : { ms: totalMs, failure };
  const limit = startDeadline(time, [request.signal, world.closing]);
  const { signal } = limit;
  try {
    signal.throwIfAborted();
    for (let hops = 0; ; hops += 1) {
      const pool = await world.origins.find(url, request.namedBy, signal);
      const sent = { method: request.method, url: url.href, headers };
      const { exchange, head } = await observed(world.observe, sent, () =>
        attempt(pool, { request, url, headers, headersAgain, signal }),
      );
      try {
        const next = nextHop(request, url, head, hops);
        if (next === undefined) {
          const response = makeResponse(request, { url: url.href, origin: pool.origin, head, exchange });
          void exchange.end.then(() => limit[Symbol.dispose]());
          return response;
        }
        await leaveUnread(exchange, false);
        url = next;
      } catch (error) {
        exchange.fail(error);
        throw error;
      }
    }
  } catch (error) {
    limit[Symbol.dispose]();
    throw request.namedBy === 'person' || world.origins.isPersons(url) ? error : namedByServer(error);
  }
}

/** The limits of a request: what the person has set for that kind of request, else the request's own. */
function limitsFor(own: HttpRequest['limits'], set: Limits): HttpRequest['limits'] {
  if (own.of === undefined) return own;
  if (own.of === 'response') return { ...own, headersMs: set.answerSeconds * 1000 };
  const ms = set[`${own.of}Seconds`] * 1000;
  return { totalMs: ms, headersMs: ms, maxBytes: set[`${own.of}KiB`] * 1024 };
}

/** For what is done before the body leaves, in milliseconds: what leaves just before the end would get no response. */
const beforeBodyMs = 30_000;

function withPause({ totalMs, headersMs, ...rest }: HttpRequest['limits']): HttpRequest['limits'] {
  return { ...rest, totalMs: totalMs && totalMs + beforeBodyMs, headersMs: headersMs + beforeBodyMs };
}

const maxHops = 3;

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Where a response sends the request next; undefined when it is a response like any other. Followed are
 * only GETs within the origin, at most 3 times; everything else that redirects is a failure, unless the
 * caller wants redirects reported. A body is never sent again.
 * @param hops how many redirects were followed to get here
 * @throws Failure `redirect_refused`
 */
function nextHop(request: HttpRequest, from: URL, head: Head, hops: number): URL | undefined {
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
