import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientDocumentRules } from '../../src/sandbox/options.js';
import { type Authority, startAuthority } from '../support/certificates.js';
import { startHttp, type TestServer } from '../support/http-server.js';
import type { Sandbox } from '../support/start-sandbox.js';
import { authorizationUrl } from './client.js';

export const redirectUri = 'http://127.0.0.1/callback';

export type Document = Readonly<Record<string, unknown>>;
type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** An https server on loopback that serves client ID metadata documents, right and wrong ones. */
export interface DocumentHost extends AsyncDisposable {
  readonly origin: string;
  readonly server: TestServer;
  /** Signed the certificate of the server; the sandbox trusts it. */
  readonly authority: Authority;
  /** What a sandbox needs to fetch from it. */
  readonly rules: ClientDocumentRules & { readonly allow: readonly string[] };
  /** From now on every address answers with a document about itself, changed. */
  serve(change?: (document: Document) => unknown, headers?: Record<string, string>): void;
  /** From now on every address answers like that. */
  respond(respond: Respond): void;
}

export async function startDocumentHost(): Promise<DocumentHost> {
  const authority = await startAuthority();
  let respond: Respond = (_request, response) => response.writeHead(404).end();
  const server = await startHttp(
    (request, response) => respond(request, response),
    await authority.issue('DNS:localhost,IP:127.0.0.1'),
  );
  return {
    origin: server.origin,
    server,
    authority,
    rules: { caFile: authority.caFile, allow: [new URL(server.origin).host, `localhost:${server.port}`] },
    serve: (change = (document) => document, headers = {}) => {
      respond = (request, response) => {
        const document = change(documentAt(`https://${request.headers.host}${request.url}`));
        response.writeHead(200, { 'content-type': 'application/json', ...headers });
        response.end(typeof document === 'string' ? document : JSON.stringify(document));
      };
    },
    respond: (next) => {
      respond = next;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
    },
  };
}

/** A document as most programs would host it. */
export function documentAt(clientId: string): Document {
  return {
    client_id: clientId,
    client_name: 'Hosted client',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  };
}

/** What an authorization request of this client is answered with: never a redirect, unless to the login page. */
export async function answerFor(
  sandbox: Sandbox,
  clientId: string,
): Promise<{ readonly status: number; readonly page: string }> {
  const url = authorizationUrl(sandbox, { client_id: clientId, redirect_uri: redirectUri });
  const response = await fetch(url, { redirect: 'manual' });
  if (response.status !== 303) assert.equal(response.headers.get('location'), null);
  return { status: response.status, page: await response.text() };
}
