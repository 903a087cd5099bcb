import { redirectRefused } from '../../errors/url.js';
import type { OutboundRequest } from '../../primitives/outbound.js';
import { gateUrl } from '../../primitives/url-gate.js';
import type { Head } from './exchange.js';

const mostHops = 3;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Where an answer sends the request next; undefined when it is an answer like any other. Followed are
 * only GETs within the origin, at most 3 times; everything else that redirects is a failure, unless the
 * caller wants redirects reported. A body is never sent again.
 * @param hops how many redirects were followed to get here
 * @throws Failure `redirect_refused`
 */
export function nextHop(
  request: Pick<OutboundRequest, 'method' | 'redirects'>,
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
  if (hops >= mostHops) throw refuse(`more than ${mostHops} redirects in a row`);
  const target = resolveLocation(to, from);
  if (target === undefined) throw refuse('the place is not written as a plain URL');
  if (target.origin !== from.origin) throw refuse('it leads to another origin');
  return target;
}

/**
 * What names a scheme or a host is judged as it was written; a reference within the origin is put
 * together first (RFC 3986 section 5.2), if it has no character that a URL may not have.
 */
function resolveLocation(location: string, base: URL): URL | undefined {
  if (!/^[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%[\]]*$/.test(location)) return undefined;
  const namesHost = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(location);
  const full = location.startsWith('//') ? base.protocol + location : location;
  const gated = gateUrl(namesHost ? full : new URL(location, base).href);
  if (!gated.ok) return undefined;
  gated.url.hash = '';
  return gated.url;
}
