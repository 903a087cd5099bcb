import { jsonResponse, type SentResponse } from '../wire/response.js';
import { honestDocument } from './challenge.js';
import { type Exchange, type Fault, faultsAt, html, redirect, rewriteFault, withHeader } from './fault.js';

/** What lets a request pass where `server-wants-header` is on: a sandbox keeps no secret. */
export const sandboxApiKey = 'sandbox-api-key';

/** Where it is on, the gate lets everybody through. */
export const wantsNoLogin = 'server-wants-no-login';

/** H: what the protected server does with a request that carries a token. */
export function serverFaults(): readonly Fault[] {
  let asked = 0;
  return [
    whenAuthorized('server-redirects-elsewhere', [153], '307 to another origin', ({ addresses }) =>
      redirect(307, `${addresses.authorizationOrigin}/stolen-call`),
    ),
    whenAuthorized('server-redirects-sibling', [157], '307 to a sibling path', ({ addresses }) =>
      redirect(307, `${addresses.serverOrigin}/other/mcp`),
    ),
    whenAuthorized('server-401-always', [146], '401 for every token, however new', ({ addresses }) =>
      jsonResponse(401, { error: 'invalid_token' }, [
        ['www-authenticate', `Bearer error="invalid_token", resource_metadata="${honestDocument(addresses)}"`],
      ]),
    ),
    whenAuthorized('server-403-always', [162], '403 insufficient_scope with the same scope for ever', (exchange) =>
      insufficient('notes:write', honestDocument(exchange.addresses)),
    ),
    whenAuthorized('server-403-treadmill', [163], '403 insufficient_scope with another scope each time', (exchange) => {
      asked += 1;
      return insufficient(`scope:${asked}`, honestDocument(exchange.addresses));
    }),
    whenAuthorized('server-403-other-server', [164], '403 that points to other metadata', () =>
      insufficient('notes:write', 'https://evil.invalid/prm'),
    ),
    whenAuthorized('server-403-plain', [165], '403 without a challenge', () =>
      jsonResponse(403, { error: 'forbidden' }),
    ),
    whenAuthorized('server-403-html', [165], '403 with a page', () => html(403, '<h1>Forbidden</h1>')),
    whenAuthorized('server-500-for-token', [], '500 for every token', () => html(500, 'oops')),
    faultsAt('resource-metadata').instead(wantsNoLogin, [], 'everybody may call it', () => jsonResponse(404, {})),
    {
      name: 'server-wants-header',
      rows: [],
      what: `403 for everything without “X-Api-Key: ${sandboxApiKey}”, metadata too, as behind a gateway`,
      instead: ({ point, apiKey }) =>
        (point === 'protected' || point === 'resource-metadata') && apiKey !== sandboxApiKey
          ? jsonResponse(403, { message: 'Missing or wrong X-Api-Key' })
          : undefined,
    },
    rewriteFault(
      ...(['server-session-id', [160], 'a session identifier with characters that it may not have'] as const),
      ({ point, authorized }, { status }) => point === 'protected' && authorized && status === 200,
      (_exchange, response) => withHeader(response, 'mcp-session-id', 'a b\u00e9'),
    ),
  ];
}

function whenAuthorized(
  name: string,
  rows: readonly number[],
  what: string,
  reply: (exchange: Exchange) => SentResponse,
): Fault {
  return faultsAt('protected').instead(name, rows, what, (exchange) =>
    exchange.authorized ? reply(exchange) : undefined,
  );
}

function insufficient(scope: string, document: string): SentResponse {
  return jsonResponse(403, { error: 'insufficient_scope' }, [
    ['www-authenticate', `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${document}"`],
  ]);
}
