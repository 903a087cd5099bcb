import { Failure } from '../core/failure.js';
import { redirectRefused } from '../http/failures.js';
import { headerValues, type ResponseHead } from '../relay/heads.js';
import { headerText, type OutgoingResponse } from '../relay/server-response.js';
import type { Admitted } from './admit.js';
import { type ForwardedResponse, forwardedResponse } from './forwarded-headers.js';
import { restOfLocation } from './mount-path.js';

/** The head of a response, sorted, and the response to the caller where nothing of it depends on the request. */
export interface SortedResponse extends ForwardedResponse {
  readonly status: number;
  /** The first value of a header, whose name is given in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly plain: OutgoingResponse;
  readonly isEventStream: boolean;
  /** Is its body compressed? */
  readonly isCoded: boolean;
}

/** The head of a response, sorted: once, where connections give the same one again and again. */
export function sortedHead(head: ResponseHead): SortedResponse {
  head.known ??= sortedResponse(head);
  return head.known as SortedResponse;
}

function sortedResponse({ status, lines }: ResponseHead): SortedResponse {
  const response = forwardedResponse(lines);
  const [said] = response.lengths;
  const length = said === undefined ? undefined : Number(said);
  const plain = { status, headers: headerText(response.forward), length };
  // As the most lenient reader has it.
  const isEventStream = /text\/event-stream/i.test(response.contentTypes.join());
  const isCoded = response.contentCodings.some((coding) => !/^(?:identity)?$/i.test(coding));
  const header = (name: string) => headerValues(lines, name)[0];
  return { ...response, status, header, plain, isEventStream, isCoded };
}

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

/** Of the line under way: enough to tell what it names. */
const maxBeginning = 64;

/**
 * Tells whether an event stream names an address for messages, as the older transport (HTTP+SSE, 2024-11-05) does. A caller would
 * resolve that against our address, so that a server could choose another server's mount.
 */
export class OlderStream {
  /** The beginning of the line under way, and the line end before it, one character a byte. */
  #line = '\n';

  /** Does the stream name one, with what comes now? In a form that any reader might take for it (WHATWG HTML, section 9.2.6). */
  namesEndpoint(chunk: Uint8Array): boolean {
    const { buffer, byteOffset, byteLength } = chunk;
    const text = this.#line + Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
    const start = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
    this.#line = text.slice(start, start + maxBeginning);
    return /[\r\n](?:\xef\xbb\xbf)?event:[ \t]*endpoint[ \t\r\n]/.test(text);
  }
}
