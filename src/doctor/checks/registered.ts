import { type JsonObject, jsonWords } from '../../core/text/json.js';
import { scopesToRegister, selectScopes } from '../../oauth/discover.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import type { Discovered, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';

/** Step 7: whether a registration that can be used is what was asked for: without a secret, and native. */
export function checkRegistered(body: JsonObject, { tokenAuthMethods }: AuthorizationServer, report: Report): void {
  const { client_secret: secret, token_endpoint_auth_method: method, application_type: type } = body;
  const hasSecret = typeof secret === 'string';
  const wantedNone = tokenAuthMethods === undefined || tokenAuthMethods.includes('none');
  if (method === 'none' && hasSecret) report.found('registration-with-secret', 'client_secret, and method none');
  else if (wantedNone && (hasSecret || (typeof method === 'string' && method !== 'none'))) {
    report.found(
      'registration-method-changed',
      `asked for none, registered ${jsonWords(method, 'with a client_secret')}`,
    );
  }
  if (typeof type === 'string' && type !== 'native') {
    report.found('registration-not-native', `application_type is ${type}`);
  }
  report.pass('client', 'registered with the redirect address that was asked for');
}

/** The scopes of a login: that it asks for, and that its client is registered with, which some servers hold a client to. */
export function scopesOf(
  { server, held, probed, resource, authorizationServer }: ServerTarget & Discovered,
  named: readonly string[],
) {
  const { zone, scopes: challengedScopes } = probed;
  const discovery = { server, zone, protectedResource: resource, authorizationServer, challengedScopes, warnings: [] };
  // As a login that is made again asks (login/begin-login.ts).
  const kept = held?.issuer === authorizationServer.issuer ? held.scopes : [];
  const scopes = named.flatMap((words) => words.split(' ')).filter(Boolean); // each may hold several
  const asked = selectScopes(discovery, scopes.length === 0 ? { scopes: undefined, held: kept } : { scopes, held: [] });
  return { asked, registered: scopesToRegister(discovery, asked) };
}
