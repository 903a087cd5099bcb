import { networkFailed } from '../../errors/network.js';
import { redirectRefused } from '../../errors/url.js';
import { restOfLocation } from '../../primitives/mount-path.js';
import type { ResponseHead } from '../../primitives/relayed-headers.js';
import type { Admitted } from './admit.js';

/** Why a head cannot be passed on; undefined when the body behind it ends where both sides think it does. */
export function framingProblem(head: ResponseHead, { mounted }: Admitted): Error | undefined {
  if (head.codings.every((coding) => coding.toLowerCase() === 'chunked')) return undefined;
  const { hostname: host, port, protocol } = mounted.url;
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  return networkFailed({ host, port: number, code: 'HPE_INVALID_TRANSFER_ENCODING' });
}

/**
 * The headers for the caller. `Location` leads to this mount again, or, outside of a redirect, is left out: a redirect
 * to anywhere else is never told, let alone followed.
 * @throws Failure `redirect_refused`
 */
export function headersForCaller(status: number, head: ResponseHead, admitted: Admitted): string[] {
  const { mounted, prefix, target } = admitted;
  const [location] = head.locations;
  if (location === undefined) return head.forward;
  const { server } = mounted.mount;
  const rest = head.locations.length === 1 ? restOfLocation(server, target, location) : undefined;
  if (rest !== undefined) return [...head.forward, 'location', `${prefix}${rest}`];
  if (status < 300 || status > 399) return head.forward;
  const why = 'it leads away from the server’s own address';
  throw redirectRefused({ from: mounted.url.origin + target, status, to: location, why });
}

/** A standing event stream never ends by itself, and its reader knows how to come back. */
export function isStanding(method: string | undefined, head: ResponseHead): boolean {
  return method === 'GET' && /^text\/event-stream\b/i.test(head.contentType);
}
