import { bearerChallenge } from '../../oauth/challenge.js';
import type { ServerTarget } from '../ports.js';
import type { Report } from '../report.js';
import { headerValues, type SeenExchange, type SeenResponse } from '../seen-http.js';

/** Step 2: how the server asks for a login. */
export function checkChallenge(exchanges: readonly SeenExchange[], { server }: ServerTarget, report: Report): void {
  const posts = exchanges.filter(({ method, response }) => method === 'POST' && response !== undefined);
  const last = posts.findLast(({ response }) => response?.status === 401) ?? posts[0];
  const response = last?.response;
  if (response === undefined) return;
  if (isPage(response)) report.found('page-instead', `status ${response.status}, a page of HTML`);
  if (response.status === 401) checkHeader(response, server, report);
  else notAsked(response.status, report);
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
  if (resourceMetadata === undefined)
    report.found('challenge-without-metadata', '401, Bearer without resource_metadata');
  else if (URL.parse(resourceMetadata)?.origin !== new URL(server).origin) {
    report.found('metadata-elsewhere', resourceMetadata);
  }
  if (scope === undefined) report.found('challenge-without-scope', '401, Bearer without scope');
  if (error !== undefined) report.found('challenge-with-error', `error="${error}"`);
  const named = [resourceMetadata && 'resource_metadata', scope && `scope ${scope}`].filter(Boolean).join(', ');
  report.pass('challenge', `401, Bearer${named === '' ? '' : `, ${named}`}`);
}

function notAsked(status: number, report: Report): void {
  if (report.has('server-failed') || report.has('wrong-path')) return;
  report.found('no-login-asked', `status ${status} to a request without a token`);
}

function isPage(response: SeenResponse): boolean {
  const [type = ''] = headerValues(response, 'content-type');
  if (/^text\/html\b/i.test(type.trim()))
    return response.status < 400 || response.status === 401 || response.status === 403;
  return /^\s*<(?:!doctype html|html)\b/i.test(new TextDecoder('latin1').decode(response.bytes.subarray(0, 200)));
}
