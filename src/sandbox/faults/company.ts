import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse, type SentResponse } from '../wire/response.js';
import {
  type Exchange,
  type Fault,
  faultsAt,
  html,
  type JsonObject,
  patched,
  reclaimed,
  rewriteFault,
} from './fault.js';

const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** H: a company's provider, and what comes of what it vouches for (draft-ietf-oauth-identity-assertion-authz-grant). */
export function companyFaults(): readonly Fault[] {
  return [
    idJag('company-other-audience', 'the ID-JAG is for another authorization server', () => ({
      aud: 'https://another.invalid',
    })),
    idJag('company-two-audiences', 'the ID-JAG is for another authorization server, too', ({ aud }) => ({
      aud: [String(aud), 'https://another.invalid'],
    })),
    idJag('company-other-resource', 'the ID-JAG is for another server', () => ({
      resource: 'https://another.invalid/mcp',
    })),
    idJag('company-other-client', 'the ID-JAG is for another client', () => ({ client_id: 'another' })),
    idJag('company-expired', 'the ID-JAG has expired', () => ({ exp: 1_700_000_000 })),
    idJag('company-other-issuer', 'the ID-JAG says that it is of another provider', () => ({
      iss: 'https://another.invalid',
    })),
    idJag('company-untyped', 'what is issued is a plain JWT', () => ({}), { alg: 'ES256', typ: 'JWT' }),
    idJag('company-unsigned', 'the ID-JAG is not signed', () => ({}), { alg: 'none', typ: 'oauth-id-jag+jwt' }),
    patch('company-other-type', 'another type of token is issued', isIssued, () => ({
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    })),
    refused('company-refused', 'the company’s policy does not allow this server', () =>
      jsonResponse(400, { error: 'access_denied', error_description: 'not for your department' }),
    ),
    refused('company-session-ended', 'the provider takes its ID token no longer', () =>
      jsonResponse(400, { error: 'invalid_grant', error_description: 'the session has ended' }),
    ),
    refused('company-page', 'a page comes instead of an ID-JAG', () => html(200, '<h1>Sign in again</h1>')),
    refused('company-down', 'the provider is out of order', () =>
      jsonResponse(503, { error: 'temporarily_unavailable' }),
    ),
    patch('company-no-exchange', 'the provider exchanges nothing', isProvidersMetadata, () => ({
      identity_chaining_requested_token_types_supported: undefined,
      grant_types_supported: ['authorization_code', 'refresh_token'],
    })),
    patch('company-no-id-token', 'a refresh at the provider brings no ID token', isRefresh, () => ({
      id_token: undefined,
    })),
    patch('company-other-person', 'a refresh at the provider brings somebody else’s ID token', isRefresh, (token) => ({
      id_token: reclaimed(String(token['id_token']), () => ({ sub: 'bob' })),
    })),
    rewriteFault(
      ...(['company-slow', [], 'the provider takes six seconds for everything'] as const),
      ({ path }) => path.includes('/company/'),
      (_exchange, response) => sleep(6_000, response),
    ),
    faultsAt('token').instead('id-jag-refused', [], 'the authorization server takes no ID-JAG', ({ params }) =>
      params.has('assertion')
        ? jsonResponse(400, { error: 'invalid_grant', error_description: 'this company is not known here' })
        : undefined,
    ),
    faultsAt('metadata').patch(
      'id-jag-not-listed',
      [],
      'the authorization server lists no way to take an ID-JAG',
      () => ({
        authorization_grant_profiles_supported: undefined,
        grant_types_supported: ['authorization_code', 'refresh_token'],
      }),
    ),
  ];
}

const isProvidersMetadata = ({ path }: Exchange) => path.endsWith('/company/.well-known/openid-configuration');

const isToken = ({ path, method }: Exchange) => method === 'POST' && path.endsWith('/company/token');

const isExchange = (exchange: Exchange) =>
  isToken(exchange) && exchange.params.get('grant_type') === tokenExchangeGrant;

const isIssued = (exchange: Exchange, { status }: SentResponse) => isExchange(exchange) && status === 200;

const isRefresh = (exchange: Exchange, { status }: SentResponse) =>
  isToken(exchange) && exchange.params.get('grant_type') === 'refresh_token' && status === 200;

function patch(
  name: string,
  what: string,
  fits: (exchange: Exchange, response: SentResponse) => boolean,
  members: (document: JsonObject) => JsonObject,
): Fault {
  return rewriteFault(name, [], what, fits, (_exchange, response) => patched(response, members));
}

function refused(name: string, what: string, reply: () => SentResponse): Fault {
  return { ...{ name, rows: [], what }, instead: (exchange) => (isExchange(exchange) ? reply() : undefined) };
}

function idJag(name: string, what: string, change: (claims: JsonObject) => JsonObject, header?: JsonObject): Fault {
  return patch(name, what, isIssued, (document) => ({
    access_token: reclaimed(String(document['access_token']), change, header),
  }));
}
