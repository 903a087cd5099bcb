import { mediaTypeIs } from '../../core/text/characters.js';
import { quoted } from '../../core/text/printable.js';
import type { HttpClient } from '../../http/request.js';
import { type Finding, findingsOf } from './finding.js';

/** How an address answered: the status, and the headers with names in lower case. */
export interface Delivery {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const fetching = 'R-5.8g, CIMD section 4';

const caching = 'R-4.4a, RFC 9111 section 5.2';

const maxAge = 'Send Cache-Control: public, max-age=3600.';

const addHeader = 'Add it where the host lets you (GitHub Pages does not; nothing depends on it).';

const found = findingsOf({
  redirects: ['failure', fetching, 'Serve the document at the address itself, or use the other address as client_id.'],
  status: ['failure', 'R-5.8g, CIMD section 4.3', 'Publish the folder there, and check again.'],
  media_type: [
    'failure',
    'R-5.8g, CIMD section 4.1',
    'Have it served as application/json (see the README.md in the folder).',
  ],
  content_encoding: ['failure', fetching, 'Turn compression off for this file.'],
  cache_missing: ['warning', caching, maxAge],
  cache_unreadable: ['warning', caching, maxAge],
  cache_forbidden: ['warning', caching, maxAge],
  cache_too_long: ['warning', caching, maxAge],
  sets_cookie: ['warning', fetching, 'Serve it as a plain file.'],
  sniffing_open: ['warning', 'R-5.8g', addHeader],
});

/** A week, in seconds: longer than this a changed document, or a new key, may be unknown. */
const longestAge = 7 * 24 * 3600;

/** Validates how a document is served, as a careful authorization server looks at it (rules 4.4 and 5.8; CIMD sections 4 and 6). */
export function validateDelivery({ status, headers }: Delivery): readonly Finding[] {
  const values = (name: string) => headers.filter(([key]) => key === name).map(([, value]) => value);
  if (status >= 300 && status < 400) {
    const [location] = values('location');
    const to = location === undefined || location === '' ? '' : ` to ${quoted(location, 200)}`;
    return found({ redirects: `The address redirects (${status}${to}), and redirects are not followed.` });
  }
  if (status !== 200) return found({ status: `The address answers with status ${status}, and only 200 counts.` });
  const isCoded = values('content-encoding').some((value) => value.trim().toLowerCase() !== 'identity');
  const isSniffed = values('x-content-type-options').join().toLowerCase() !== 'nosniff';
  return [
    ...found({
      media_type: mediaTypeProblem(values('content-type')),
      content_encoding: isCoded && 'The document comes compressed (Content-Encoding) to those who did not ask for it.',
    }),
    ...validateCaching(values('cache-control'), values('expires').length > 0),
    ...found({
      sets_cookie:
        values('set-cookie').length > 0 && 'The address sets a cookie, and a document for everybody needs none.',
      sniffing_open: isSniffed && 'X-Content-Type-Options: nosniff is not sent.',
    }),
  ];
}

function mediaTypeProblem([value, ...others]: readonly string[]): string | undefined {
  if (value === undefined) return 'No media type is sent (Content-Type).';
  if (others.length > 0) return 'Two media types are sent.';
  const [essence = ''] = value.split(';', 1);
  const isJson = mediaTypeIs(value, 'application/json') || /^application\/[a-z0-9.-]+\+json$/i.test(essence.trim());
  return isJson ? undefined : `The media type is ${quoted(value, 80)}, and has to be application/json.`;
}

/** The first thing that is wrong with how long the document may be kept. */
function validateCaching(values: readonly string[], expires: boolean): readonly Finding[] {
  const directives = values.flatMap((value) => value.toLowerCase().split(',')).map((one) => one.trim());
  const age = directives
    .find((one) => one.startsWith('max-age='))
    ?.slice('max-age='.length)
    .replaceAll('"', '');
  const isNumber = age === undefined || /^[0-9]+$/.test(age);
  const isForbidden = directives.includes('no-store') || directives.includes('no-cache') || Number(age) === 0;
  return found({
    cache_missing:
      values.length === 0 && !expires && 'It is not said how long the document may be kept (Cache-Control).',
    cache_unreadable:
      !isNumber && `Cache-Control says ${quoted(values.join(', '), 120)}, which is no number of seconds.`,
    cache_forbidden: isForbidden && 'The document may not be kept (Cache-Control): it is fetched again at each login.',
    cache_too_long:
      Number(age) > longestAge &&
      `The document may be kept for ${age} seconds: a change, or a new key, is seen as late as that.`,
  }).slice(0, 1);
}

/** A careful authorization server waits a few seconds; what is larger than 5 KiB is read on, to say how large it is. */
const limits = { totalMs: 5_000, headersMs: 5_000, maxBytes: 64 * 1024 } as const;

/**
 * GETs a client ID metadata document as a careful authorization server does (rule 4.4; CIMD section 4): nothing of ours
 * sent along, redirects reported and never followed, bounded in size and time.
 * @throws Failure of the HTTP client, such as `network_failed`, `tls_failed`, `timed_out`, `too_large` (more than 64 KiB)
 */
export async function fetchClientMetadata(
  http: HttpClient,
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
): Promise<Delivery & { readonly bytes: Uint8Array }> {
  const headers = [['accept', 'application/json']] as const;
  await using response = await http.send({
    method: 'GET',
    url,
    headers,
    namedBy: 'person',
    redirects: 'report',
    limits,
    signal,
  });
  return { status: response.status, headers: response.headers, bytes: await response.bytes() };
}
