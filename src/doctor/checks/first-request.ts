import { bearerChallenge } from '../../oauth/challenge.js';
import { protectedResourceMetadataUrls } from '../../oauth/discovery-document.js';
import type { Run } from '../run.js';
import { headerValues, type SeenResponse } from '../seen-http.js';

/** More than this between two clocks is no delay of the network. */
const maxSkewMs = 60_000;

const slowMs = 3_000;

/** A certificate that ends sooner is worth a word, in milliseconds. */
const soonMs = 14 * 86_400_000;

/** Step 1: each address of the server by itself, the time that requests took so far, and what the server's clock says. */
export async function checkConnection(run: Run): Promise<void> {
  const { server, http, clock, signal, report } = run;
  const responded = http.exchanges.filter(({ response }) => response !== undefined);
  const [first] = responded;
  if (first?.response === undefined) return;
  const addresses = await run.examineAddresses(server, signal);
  const named = addresses.length === 0 ? 'a proxy' : addresses.map(({ address }) => address).join(', ');
  report.pass('connect', `${new URL(server).host} responds in ${first.ms} ms (${named})`);
  for (const { address, failure, certificateUntil } of addresses) {
    if (failure !== undefined) report.found('address-family-dead', `${address}: ${failure.message}`);
    else if (certificateUntil !== undefined && certificateUntil - clock.now() < soonMs) {
      report.found('certificate-expires', `at ${address}: ${new Date(certificateUntil).toISOString()}`);
    }
  }
  const [date = ''] = headerValues(first.response, 'date');
  const skewMs = Date.parse(date) - first.at;
  if (Math.abs(skewMs) > maxSkewMs) {
    const seconds = Math.round(Math.abs(skewMs) / 1000);
    report.found('clock-wrong', `this clock is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the server’s`);
  }
  const slowest = responded.toSorted((one, other) => other.ms - one.ms)[0] ?? first;
  if (slowest.ms > slowMs) {
    report.found('slow-response', `${slowest.method} ${slowest.url} took ${(slowest.ms / 1000).toFixed(1)} s`);
  }
}

/** Step 2: how the server asks for a login. */
export function checkChallenge(run: Run): void {
  const { server, report } = run;
  const response = responseIn(run);
  if (response?.status !== 401) return;
  const lines = headerValues(response, 'www-authenticate');
  const challenge = bearerChallenge(lines);
  if (challenge.kind === 'none') {
    const others = lines.map((value) => value.split(/[\s,]/, 1)[0]);
    const instead = others.length === 0 ? 'no WWW-Authenticate' : `other schemes alone: ${others.join(', ')}`;
    report.found('challenge-missing', `401, ${instead}`);
  }
  if (challenge.kind !== 'bearer') return; // the engine has said so
  const { resourceMetadata, scope, error } = challenge;
  const scheme = challenge.scheme === 'dpop' ? 'DPoP' : 'Bearer';
  if (resourceMetadata === undefined)
    report.found('challenge-without-metadata', `401, ${scheme} without resource_metadata`);
  else if (URL.parse(resourceMetadata)?.origin !== new URL(server).origin) {
    report.found('metadata-elsewhere', resourceMetadata);
  }
  if (scope === undefined) report.found('challenge-without-scope', `401, ${scheme} without scope`);
  if (error !== undefined) report.found('challenge-with-error', `error="${error}"`);
  const named = [`401, ${scheme}`, resourceMetadata && 'resource_metadata', scope && `scope ${scope}`];
  report.pass('challenge', named.filter(Boolean).join(', '));
}

/** Step 2, once it is known what is published there: a server that wants a login, and does not ask for it. */
export function checkAsked(run: Run): void {
  const { report } = run;
  const { status = 401 } = responseIn(run) ?? {};
  if (status === 401 || report.has('server-failed') || report.has('wrong-path')) return;
  report.found('no-login-asked', `status ${status} to a request without a token`);
}

/**
 * Step 2, where nothing says how to log in: does somebody else respond, with a page for people? A 401 may be sent as HTML
 * and be one all the same.
 */
export function checkPage(run: Run): void {
  const response = responseIn(run);
  if (response === undefined || !isPage(response)) return;
  const isAsked = bearerChallenge(headerValues(response, 'www-authenticate')).kind !== 'none';
  const isPublished = protectedResourceMetadataUrls(run.server).some((url) => run.http.documentAt(url) !== undefined);
  if (!isAsked && !isPublished) run.report.found('page-instead', `status ${response.status}, a page of HTML`);
}

/** To the request without a token: the 401, where there is one. */
function responseIn({ http }: Run): SeenResponse | undefined {
  const responses = http.exchanges.flatMap(({ method, response }) => (method === 'POST' ? (response ?? []) : []));
  return responses.findLast(({ status }) => status === 401) ?? responses[0];
}

function isPage({ status, bytes, headers }: SeenResponse): boolean {
  if (bytes.length === 0 || (status >= 300 && status !== 401 && status !== 403)) return false;
  const [type = ''] = headerValues({ headers }, 'content-type');
  if (/^text\/html\b/i.test(type.trim())) return true;
  return /^\s*<(?:!doctype html|html)\b/i.test(new TextDecoder('latin1').decode(bytes.subarray(0, 200)));
}
