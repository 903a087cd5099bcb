import type { OutboundDoor } from '../../ports.js';
import { asObject, type JsonObject, parseJson } from '../../primitives/json.js';
import type { OutboundResponse } from '../../primitives/outbound.js';
import type { Zone } from '../../primitives/records.js';

/** Limits for one metadata document: 256 KiB decoded, 10 s in all. */
const documentLimits = { of: 'metadata', totalMs: 10_000, headersMs: 10_000, maxBytes: 256 * 1024 } as const;

export interface FetchedDocument {
  readonly url: string;
  readonly status: number;
  readonly zone: Zone;
  /** The JSON object that came, or in words why what came is none. */
  readonly content:
    | { readonly ok: true; readonly object: JsonObject }
    | { readonly ok: false; readonly why: string };
}

/**
 * GETs a discovery document: no credentials, at most three redirects within the origin, bounded in size
 * and time. An answer that is no JSON object is a value, not an error: the next address may do better.
 * @throws Failure of the door (`url_refused`, `address_refused`, `redirect_refused`, `too_large`, …)
 */
export async function fetchDocument(
  door: OutboundDoor,
  request: { readonly url: string; readonly namedBy: 'person' | Zone; readonly signal: AbortSignal },
): Promise<FetchedDocument> {
  await using response = await door.send({
    method: 'GET',
    url: request.url,
    headers: [['accept', 'application/json']],
    namedBy: request.namedBy,
    redirects: 'same-origin',
    limits: documentLimits,
    signal: request.signal,
  });
  return {
    url: request.url,
    status: response.status,
    zone: response.zone,
    content: await judgeContent(response),
  };
}

async function judgeContent(response: OutboundResponse): Promise<FetchedDocument['content']> {
  if (response.status !== 200) {
    return { ok: false, why: `status ${response.status}` };
  }
  const parsed = parseJson(await response.bytes());
  if (!parsed.ok) {
    return { ok: false, why: parsed.problem.replaceAll('_', ' ') };
  }
  const object = asObject(parsed.value);
  return object === undefined ? { ok: false, why: 'JSON, but not an object' } : { ok: true, object };
}
