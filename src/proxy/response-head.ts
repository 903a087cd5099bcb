import { Failure } from '../core/failure.js';
import { redirectRefused } from '../http/address-failures.js';
import type { OutgoingResponse } from '../relay/server-response.js';
import type { Admitted } from './admit.js';
import { restOfLocation } from './mount-path.js';
import type { SortedResponse } from './refusal.js';

/**
 * What the caller's response says. `Location` leads to this mount again, or, outside of a redirect, is left out: a
 * redirect to anywhere else is never passed on or followed, but is Failure `redirect_refused`.
 */
export function responseFor(head: SortedResponse, admitted: Admitted): OutgoingResponse | Failure {
  const { plain, hasDate, locations } = head;
  if (hasDate && locations.length === 0) return plain;
  const date = hasDate ? '' : `date: ${new Date().toUTCString()}\r\n`;
  const line = locationLine(plain.status, locations, admitted);
  return line instanceof Failure ? line : { ...plain, headers: plain.headers + date + line };
}

function locationLine(status: number, locations: readonly string[], admitted: Admitted): string | Failure {
  const { mounted, prefix, target } = admitted;
  const [location] = locations;
  if (location === undefined) return '';
  const rest = locations.length === 1 ? restOfLocation(mounted.mount.server, target, location) : undefined;
  if (rest !== undefined) return `location: ${prefix}${rest}\r\n`;
  if (status < 300 || status > 399) return '';
  const why = 'it leads away from the server’s own address';
  return redirectRefused({ from: mounted.url.origin + target, status, to: location, why });
}
