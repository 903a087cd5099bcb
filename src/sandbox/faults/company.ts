import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse, type SentResponse } from '../wire/response.js';
import { type Exchange, type Fault, html, insteadFault, type JsonObject, jsonOf, withJson } from './fault.js';

const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** H: a company's provider, and what comes of what it vouches for (draft-ietf-oauth-identity-assertion-authz-grant). */
export function companyFaults(): readonly Fault[] {
  return [
    idJag('company-other-audience', 'the ID-JAG is for another authorization server', (claims) => ({
      ...claims,
      aud: 'https://another.invalid',
    })),
    idJag('company-two-audiences', 'the ID-JAG is for another authorization server, too', (claims) => ({
      ...claims,
      aud: [String(claims['aud']), 'https://another.invalid'],
    })),
    idJag('company-other-resource', 'the ID-JAG is for another server', (claims) => ({
      ...claims,
      resource: 'https://another.invalid/mcp',
    })),
    idJag('company-other-client', 'the ID-JAG is for another client', (claims) => ({
      ...claims,
      client_id: 'another',
    })),
    idJag('company-expired', 'the ID-JAG has expired', (claims) => ({ ...claims, exp: 1_700_000_000 })),
    idJag('company-other-issuer', 'the ID-JAG says that it is of another provider', (claims) => ({
      ...claims,
      iss: 'https://another.invalid',
    })),
    idJag('company-untyped', 'what is issued is a plain JWT', (claims) => claims, { alg: 'ES256', typ: 'JWT' }),
    idJag('company-unsigned', 'the ID-JAG is not signed', (claims) => claims, { alg: 'none', typ: 'oauth-id-jag+jwt' }),
    exchanged('company-other-type', 'another type of token is issued', (response) =>
      withJson(response, { ...jsonOf(response), issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' }),
    ),
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
    {
      ...{ name: 'company-no-exchange', rows: [], what: 'the provider exchanges nothing' },
      rewrite: (exchange, response) =>
        exchange.path.endsWith('/company/.well-known/openid-configuration') ? withoutExchange(response) : response,
    },
    {
      ...{ name: 'company-no-id-token', rows: [], what: 'a refresh at the provider brings no ID token' },
      rewrite: (exchange, response) => (isRefresh(exchange) ? withoutIdToken(response) : response),
    },
    {
      ...{ name: 'company-other-person', rows: [], what: 'a refresh at the provider brings somebody else’s ID token' },
      rewrite: (exchange, response) => (isRefresh(exchange) ? withOtherPerson(response) : response),
    },
    {
      ...{ name: 'company-slow', rows: [], what: 'the provider takes six seconds for everything' },
      rewrite: async (exchange, response) => {
        if (isOfCompany(exchange)) await sleep(6_000);
        return response;
      },
    },
    insteadFault(
      'token',
      { name: 'id-jag-refused', rows: [], what: 'the authorization server takes no ID-JAG' },
      ({ params }) =>
        params.has('assertion')
          ? jsonResponse(400, { error: 'invalid_grant', error_description: 'this company is not known here' })
          : undefined,
    ),
    {
      ...{ name: 'id-jag-not-listed', rows: [], what: 'the authorization server lists no way to take an ID-JAG' },
      rewrite: ({ point }, response) => (point === 'metadata' ? withoutGrant(response) : response),
    },
  ];
}

const isOfCompany = ({ path }: Exchange) => path.includes('/company/');

const isToken = ({ path, method }: Exchange) => method === 'POST' && path.endsWith('/company/token');

const isExchange = (exchange: Exchange) =>
  isToken(exchange) && exchange.params.get('grant_type') === tokenExchangeGrant;

const isRefresh = (exchange: Exchange) => isToken(exchange) && exchange.params.get('grant_type') === 'refresh_token';

function exchanged(name: string, what: string, change: (response: SentResponse) => SentResponse): Fault {
  return {
    ...{ name, rows: [], what },
    rewrite: (exchange, response) => (isExchange(exchange) && response.status === 200 ? change(response) : response),
  };
}

function refused(name: string, what: string, reply: () => SentResponse): Fault {
  return { ...{ name, rows: [], what }, instead: (exchange) => (isExchange(exchange) ? reply() : undefined) };
}

/** An ID-JAG with other claims: whoever looks at it does not send it, so its signature does not matter. */
function idJag(
  name: string,
  what: string,
  change: (claims: JsonObject) => JsonObject,
  header: JsonObject = { alg: 'ES256', typ: 'oauth-id-jag+jwt' },
): Fault {
  return exchanged(name, what, (response) => {
    const document = jsonOf(response);
    return withJson(response, {
      ...document,
      access_token: rewritten(String(document['access_token']), change, header),
    });
  });
}

function rewritten(token: string, change: (claims: JsonObject) => JsonObject, header: JsonObject): string {
  const [, payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JsonObject;
  const parts = [header, change(claims)].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return [...parts, header['alg'] === 'none' ? '' : signature].join('.');
}

function withoutExchange(response: SentResponse): SentResponse {
  const { identity_chaining_requested_token_types_supported: _, ...document } = jsonOf(response);
  return withJson(response, { ...document, grant_types_supported: ['authorization_code', 'refresh_token'] });
}

function withoutIdToken(response: SentResponse): SentResponse {
  const { id_token: _, ...document } = jsonOf(response);
  return withJson(response, document);
}

function withOtherPerson(response: SentResponse): SentResponse {
  const document = jsonOf(response);
  const { id_token: token } = document;
  if (typeof token !== 'string') return response;
  const id_token = rewritten(token, (claims) => ({ ...claims, sub: 'bob' }), { alg: 'ES256', typ: 'JWT' });
  return withJson(response, { ...document, id_token });
}

function withoutGrant(response: SentResponse): SentResponse {
  const { authorization_grant_profiles_supported: _, ...document } = jsonOf(response);
  return withJson(response, { ...document, grant_types_supported: ['authorization_code', 'refresh_token'] });
}
