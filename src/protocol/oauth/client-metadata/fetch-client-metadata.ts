import type { OutboundDoor } from '../../../ports.js';
import type { Delivery } from './delivery.js';

/** A careful authorization server waits a few seconds; what is larger than 5 KiB is read on, to say how large it is. */
const limits = { totalMs: 5_000, headersMs: 5_000, maxBytes: 64 * 1024 } as const;

export interface FetchedClientMetadata extends Delivery {
  readonly bytes: Uint8Array;
}

/**
 * GETs a client ID metadata document as a careful authorization server does (rule 4.4; CIMD section 4): nothing of ours
 * sent along, redirects reported and never followed, bounded in size and time.
 * @throws Failure of the door, such as `network_failed`, `tls_failed`, `timed_out`, `too_large` (more than 64 KiB)
 */
export async function fetchClientMetadata(
  door: OutboundDoor,
  request: { readonly url: string; readonly signal: AbortSignal },
): Promise<FetchedClientMetadata> {
  await using response = await door.send({
    method: 'GET',
    url: request.url,
    headers: [['accept', 'application/json']],
    namedBy: 'person',
    redirects: 'report',
    limits,
    signal: request.signal,
  });
  const { status, headers } = response;
  return { status, headers, bytes: await response.bytes() };
}
