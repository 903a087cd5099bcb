import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, errors, Provider } from 'oidc-provider';

/** oidc-provider itself, with nothing of the sandbox, in front of a server; whoever comes is logged in as alice. */
export interface InsistingProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly serverUrl: string;
  /** Redirect URIs of the authorization requests, in order. */
  readonly asked: readonly string[];
}

/**
 * @param clients Known beforehand. Whoever registers must do so with redirect URIs on localhost.
 * @param about Whether it knows the resource that the server names.
 */
export async function startInsistingProvider(
  clients: NonNullable<Configuration['clients']> = [],
  about: { readonly resource: 'known' | 'refused' } = { resource: 'known' },
): Promise<InsistingProvider> {
  const asked: string[] = [];
  let handle = (_request: IncomingMessage, _response: ServerResponse): unknown => undefined;
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serverUrl = `${issuer}/mcp`;
  const provider = new Provider(issuer, configuration(clients, serverUrl, about.resource));
  const callback = provider.callback();
  const metadata = '/.well-known/oauth-protected-resource/mcp';
  handle = (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/auth') asked.push(url.searchParams.get('redirect_uri') ?? '');
    if (url.pathname.startsWith('/interaction/')) return finish(provider, request, response);
    if (url.pathname === metadata) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ resource: serverUrl, authorization_servers: [issuer] }));
    }
    if (url.pathname !== '/mcp') return callback(request, response);
    response.writeHead(401, { 'www-authenticate': `Bearer scope="use", resource_metadata="${issuer}${metadata}"` });
    return response.end();
  };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { issuer, serverUrl, asked, [Symbol.asyncDispose]: close };
}

function configuration(
  clients: NonNullable<Configuration['clients']>,
  serverUrl: string,
  resource: 'known' | 'refused',
): Configuration {
  return {
    clients,
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access'],
    clientDefaults: { application_type: 'native', token_endpoint_auth_method: 'none' },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (_context, _name, _value, { redirect_uris: uris = [] }) => {
        if (uris.every((uri) => new URL(uri).hostname === 'localhost')) return;
        throw new errors.InvalidClientMetadata('redirect_uris must use localhost as their host');
      },
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => {
          if (resource === 'refused') throw new errors.InvalidTarget('unknown resource');
          return { scope: 'use', audience: serverUrl, accessTokenFormat: 'opaque' };
        },
      },
    },
  };
}

/** Logs in and agrees at once. */
async function finish(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  const accountId = session?.accountId ?? 'alice';
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
  grant.addOIDCScope('openid offline_access');
  if (params['resource'] !== undefined) grant.addResourceScope(String(params['resource']), 'use');
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}
