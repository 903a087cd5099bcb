import { mediaTypeIs } from '../../core/text/characters.js';
import { quoted } from '../../core/text/printable.js';
import type { HttpClient } from '../../http/request.js';
import { type Finding, failure, warning } from './client-id.js';

/** How an address answered: the status, and the headers with names in lower case. */
export interface Delivery {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const fetchRule = 'R-5.8g, CIMD section 4';

const cacheRule = 'R-4.4a, RFC 9111 section 5.2';

/** A week, in seconds: longer than this a changed document, or a new key, may be unknown. */
const longestAge = 7 * 24 * 3600;

/** Judges how a document is served, as a careful authorization server looks at it (rules 4.4 and 5.8; CIMD sections 4 and 6). */
export function validateDelivery(delivery: Delivery): readonly Finding[] {
  const refused = validateStatus(delivery);
  if (refused !== undefined) return [refused];
  return [
    ...validateMediaType(valuesOf(delivery, 'content-type')),
    ...validateCoding(valuesOf(delivery, 'content-encoding')),
    ...validateCaching(delivery),
    ...validateRest(delivery),
  ];
}

function valuesOf({ headers }: Delivery, name: string): readonly string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}

function validateStatus(delivery: Delivery): Finding | undefined {
  const { status } = delivery;
  if (status === 200) return undefined;
  if (status >= 300 && status < 400) {
    const [location = ''] = valuesOf(delivery, 'location');
    const what = `The address redirects (${status}${location === '' ? '' : ` to ${quoted(location, 200)}`}), and redirects are not followed.`;
    return failure(
      'redirects',
      fetchRule,
      what,
      'Serve the document at the address itself, or use the other address as client_id.',
    );
  }
  const what = `The address answers with status ${status}, and only 200 counts.`;
  return failure('status', fetchRule, what, 'Publish the folder there, and check again.');
}

function validateMediaType(values: readonly string[]): readonly Finding[] {
  const [value] = values;
  const remedy = 'Have it served as application/json (see the README.md in the folder).';
  if (value === undefined || values.length > 1) {
    const what = value === undefined ? 'No media type is sent (Content-Type).' : 'Two media types are sent.';
    return [failure('media_type', fetchRule, what, remedy)];
  }
  const [essence = ''] = value.split(';', 1);
  if (!mediaTypeIs(value, 'application/json') && !/^application\/[a-z0-9.-]+\+json$/i.test(essence.trim())) {
    const what = `The media type is ${quoted(value, 80)}, and has to be application/json.`;
    return [failure('media_type', fetchRule, what, remedy)];
  }
  return [];
}

function validateCoding(values: readonly string[]): readonly Finding[] {
  if (values.every((value) => value.trim().toLowerCase() === 'identity')) return [];
  const what = 'The document comes compressed (Content-Encoding) to those who did not ask for it.';
  return [failure('content_encoding', fetchRule, what, 'Turn compression off for this file.')];
}

function validateCaching(delivery: Delivery): readonly Finding[] {
  const values = valuesOf(delivery, 'cache-control');
  const remedy = 'Send Cache-Control: public, max-age=3600.';
  if (values.length === 0) {
    if (valuesOf(delivery, 'expires').length > 0) return [];
    const what = 'It is not said how long the document may be kept (Cache-Control).';
    return [warning('cache_missing', cacheRule, what, remedy)];
  }
  const directives = values
    .join(',')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim());
  const age = directives
    .find((one) => one.startsWith('max-age='))
    ?.slice('max-age='.length)
    .replaceAll('"', '');
  if (age !== undefined && !/^[0-9]+$/.test(age)) {
    const what = `Cache-Control says ${quoted(values.join(', '), 120)}, which is no number of seconds.`;
    return [warning('cache_unreadable', cacheRule, what, remedy)];
  }
  if (directives.includes('no-store') || directives.includes('no-cache') || Number(age) === 0) {
    const what = 'The document may not be kept (Cache-Control): it is fetched again at each login.';
    return [warning('cache_forbidden', cacheRule, what, remedy)];
  }
  if (Number(age) > longestAge) {
    const what = `The document may be kept for ${age} seconds: a change, or a new key, is seen as late as that.`;
    return [warning('cache_too_long', cacheRule, what, remedy)];
  }
  return [];
}

function validateRest(delivery: Delivery): readonly Finding[] {
  const found: Finding[] = [];
  if (valuesOf(delivery, 'set-cookie').length > 0) {
    const what = 'The address sets a cookie, and a document for everybody needs none.';
    found.push(warning('sets_cookie', fetchRule, what, 'Serve it as a plain file.'));
  }
  if (valuesOf(delivery, 'x-content-type-options').join().toLowerCase() !== 'nosniff') {
    const what = 'X-Content-Type-Options: nosniff is not sent.';
    const remedy = 'Add it where the host lets you (GitHub Pages does not; nothing depends on it).';
    found.push(warning('sniffing_open', 'R-5.8g', what, remedy));
  }
  return found;
}

/** A careful authorization server waits a few seconds; what is larger than 5 KiB is read on, to say how large it is. */
const limits = { totalMs: 5_000, headersMs: 5_000, maxBytes: 64 * 1024 } as const;

export interface FetchedClientMetadata extends Delivery {
  readonly bytes: Uint8Array;
}

/**
 * GETs a client ID metadata document as a careful authorization server does (rule 4.4; CIMD section 4): nothing of ours
 * sent along, redirects reported and never followed, bounded in size and time.
 * @throws Failure of the HTTP client, such as `network_failed`, `tls_failed`, `timed_out`, `too_large` (more than 64 KiB)
 */
export async function fetchClientMetadata(
  http: HttpClient,
  request: { readonly url: string; readonly signal: AbortSignal },
): Promise<FetchedClientMetadata> {
  await using response = await http.send({
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
