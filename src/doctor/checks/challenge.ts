import { bearerChallenge } from '../../oauth/challenge.js';
import { protectedResourceMetadataUrls } from '../../oauth/discovery-document.js';
import type { ExaminePorts, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';
import { headerValues, type SeenExchange, type SeenResponse } from '../seen-http.js';

/** Step 2: how the server asks for a login. */
export function checkChallenge(exchanges: readonly SeenExchange[], { server }: ServerTarget, report: Report): void {
  const response = responseIn(exchanges);
  if (response === undefined) return;
  if (response.status === 401) checkHeader(response, server, report);
}

/** Step 2, once it is known what is published there: a server that wants a login, and does not ask for it. */
export function checkAsked(exchanges: readonly SeenExchange[], report: Report): void {
  const { status = 401 } = responseIn(exchanges) ?? {};
  if (status === 401 || report.has('server-failed') || report.has('wrong-path')) return;
  report.found('no-login-asked', `status ${status} to a request without a token`);
}

/**
 * Step 2, where nothing says how to log in: does somebody else respond, with a page for people? A 401 may be sent as HTML
 * and be one all the same.
 */
export function checkPage({ http }: Pick<ExaminePorts, 'http'>, { server }: ServerTarget, report: Report): void {
  const response = responseIn(http.exchanges);
  if (response === undefined || !isPage(response)) return;
  const isAsked = bearerChallenge(headerValues(response, 'www-authenticate')).kind !== 'none';
  const isPublished = protectedResourceMetadataUrls(server).some((url) => http.documentAt(url) !== undefined);
  if (!isAsked && !isPublished) report.found('page-instead', `status ${response.status}, a page of HTML`);
}

/** To the request without a token: the 401, where there is one. */
function responseIn(exchanges: readonly SeenExchange[]): SeenResponse | undefined {
  const posts = exchanges.filter(({ method, response }) => method === 'POST' && response !== undefined);
  return (posts.findLast(({ response }) => response?.status === 401) ?? posts[0])?.response;
}

function checkHeader(response: SeenResponse, server: string, report: Report): void {
  const challenge = bearerChallenge(headerValues(response, 'www-authenticate'));
  if (challenge.kind === 'none') {
    const others = headerValues(response, 'www-authenticate').map((value) => value.split(/[\s,]/, 1)[0]);
    const instead = others.length === 0 ? 'no WWW-Authenticate' : `other schemes alone: ${others.join(', ')}`;
    report.found('challenge-missing', `401, ${instead}`);
    return;
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
  const named = [resourceMetadata && 'resource_metadata', scope && `scope ${scope}`].filter(Boolean).join(', ');
  report.pass('challenge', `401, ${scheme}${named === '' ? '' : `, ${named}`}`);
}

function isPage({ status, bytes, headers }: SeenResponse): boolean {
  if (bytes.length === 0 || (status >= 300 && status !== 401 && status !== 403)) return false;
  const [type = ''] = headerValues({ headers }, 'content-type');
  if (/^text\/html\b/i.test(type.trim())) return true;
  return /^\s*<(?:!doctype html|html)\b/i.test(new TextDecoder('latin1').decode(bytes.subarray(0, 200)));
}
