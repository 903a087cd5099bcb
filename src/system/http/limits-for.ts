import type { Limits } from '../../primitives/limits.js';
import type { OutboundRequest } from '../../primitives/outbound.js';

/** The limits of a request: what the person has set for that kind of request, else the request's own. */
export function limitsFor(own: OutboundRequest['limits'], set: Limits): OutboundRequest['limits'] {
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

function bounded(seconds: number, kib: number): OutboundRequest['limits'] {
  return { totalMs: seconds * 1000, headersMs: seconds * 1000, maxBytes: kib * 1024 };
}
