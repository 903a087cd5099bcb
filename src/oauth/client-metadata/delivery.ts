import { mediaTypeIs } from '../../core/text/characters.js';
import { quoted } from '../../core/text/printable.js';
import type { HttpClient } from '../../http/request.js';
import { type Finding, fails, findingsAbout, type Problem, warns } from './finding.js';

/** How an address answered: the status, and the headers with names in lower case. */
export interface Delivery {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const fetching = 'R-5.8g, CIMD section 4';

/** Validates how a document is served, as a careful authorization server looks at it (rules 4.4 and 5.8; CIMD sections 4 and 6). */
export function validateDelivery({ status, headers }: Delivery): readonly Finding[] {
  const values = (name: string) => headers.filter(([key]) => key === name).map(([, value]) => value);
  if (status !== 200) return findingsAbout('status', 'R-5.8g, CIMD section 4.3', statusProblem(status, values));
  const isCoded = values('content-encoding').some((value) => value.trim().toLowerCase() !== 'identity');
  const coded = 'The document comes compressed (Content-Encoding) to those who did not ask for it.';
  const cookie = 'The address sets a cookie, and a document for everybody needs none.';
  return [
    ...findingsAbout('content-type', 'R-5.8g, CIMD section 4.1', mediaTypeProblem(values('content-type'))),
    ...findingsAbout('content-encoding', fetching, isCoded && fails(coded, 'Turn compression off for this file.')),
    ...findingsAbout(
      'cache-control',
      'R-4.4a, RFC 9111 section 5.2',
      cachingProblem(values('cache-control'), values('expires').length > 0),
    ),
    ...findingsAbout(
      'set-cookie',
      fetching,
      values('set-cookie').length > 0 && warns(cookie, 'Serve it as a plain file.'),
    ),
  ];
}

function statusProblem(status: number, values: (name: string) => readonly string[]): Problem {
  if (status < 300 || status >= 400) {
    const what = `The address answers with status ${status}, and only 200 counts.`;
    return fails(what, 'Publish the folder there, and check again.');
  }
  const [location = ''] = values('location');
  const to = location === '' ? '' : ` to ${quoted(location, 200)}`;
  return fails(
    `The address redirects (${status}${to}), and redirects are not followed.`,
    'Serve the document at the address itself, or use the other address as client_id.',
  );
}

function mediaTypeProblem(values: readonly string[]): Problem | undefined {
  const [value = '', ...others] = values;
  const [essence = ''] = value.split(';', 1);
  const isJson = mediaTypeIs(value, 'application/json') || /^application\/[a-z0-9.-]+\+json$/i.test(essence.trim());
  if (isJson && others.length === 0) return undefined;
  const found = values.length === 0 ? 'missing' : quoted(values.join(', '), 80);
  const what = `The media type (Content-Type) is ${found}, and has to be application/json.`;
  return fails(what, 'Have it served as application/json (see the README.md in the folder).');
}

/** A week, in seconds: longer than this a changed document, or a new key, may be unknown. */
const longestAge = 7 * 24 * 3600;

function cachingProblem(values: readonly string[], expires: boolean): Problem | undefined {
  if (values.length === 0 && expires) return undefined;
  const directives = values.flatMap((value) => value.toLowerCase().split(',')).map((one) => one.trim());
  const [, age] = /^max-age="?([0-9]+)"?$/.exec(directives.find((one) => one.startsWith('max-age=')) ?? '') ?? [];
  const isForbidden = directives.includes('no-store') || directives.includes('no-cache');
  if (age !== undefined && Number(age) > 0 && Number(age) <= longestAge && !isForbidden) return undefined;
  const found = values.length === 0 ? 'is missing' : `says ${quoted(values.join(', '), 120)}`;
  const what = `Cache-Control ${found}, and should let the document be kept for up to a week: else it is fetched at each login, or a new key is seen late.`;
  return warns(what, 'Send Cache-Control: public, max-age=3600.');
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
