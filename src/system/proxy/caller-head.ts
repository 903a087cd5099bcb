import { Failure } from '../../errors/failure.js';
import { redirectRefused } from '../../errors/url.js';
import { restOfLocation } from '../../primitives/mount-path.js';
import type { Admitted } from './admit.js';
import type { OutgoingHead } from './caller/answer.js';
import type { ReadAnswer } from './read-answers.js';

/**
 * What the caller's answer says. `Location` leads to this mount again, or, outside of a redirect, is left out: a
 * redirect to anywhere else is never told, let alone followed, but Failure `redirect_refused`.
 */
export function answerFor(head: ReadAnswer, admitted: Admitted): OutgoingHead | Failure {
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
