import { redirectRefused } from '../../errors/url.js';
import { headerText } from '../../primitives/http1/answer-text.js';
import { restOfLocation } from '../../primitives/mount-path.js';
import type { ResponseHead } from '../../primitives/relayed-answer.js';
import type { Admitted } from './admit.js';
import type { OutgoingHead } from './caller/answer.js';

/**
 * The headers for the caller. `Location` leads to this mount again, or, outside of a redirect, is left out: a redirect
 * to anywhere else is never told, let alone followed.
 * @throws Failure `redirect_refused`
 */
function headersForCaller(status: number, head: ResponseHead, admitted: Admitted): string[] {
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

/** What the caller's answer says. @throws Failure `redirect_refused` */
export function answerFor(status: number, head: ResponseHead, admitted: Admitted): OutgoingHead {
  const [length] = head.lengths;
  const lines = headerText(headersForCaller(status, head, admitted));
  const headers = head.hasDate ? lines : `${lines}date: ${new Date().toUTCString()}\r\n`;
  return { status, headers, length: length === undefined ? undefined : Number(length) };
}

/** A standing event stream never ends by itself, and its reader knows how to come back. */
export function isStanding(method: string | undefined, head: ResponseHead): boolean {
  return method === 'GET' && /^text\/event-stream\b/i.test(head.contentType);
}
