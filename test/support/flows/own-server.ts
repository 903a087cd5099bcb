import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Place, startHttp } from '../http-server.js';

/** A protected server of the test's own: its challenge and its documents can be anything, at any time. */
export interface OwnServer extends AsyncDisposable {
  readonly origin: string;
  /** `<origin>/mcp` */
  readonly url: string;
  /** `GET /path`, as they came. */
  readonly requests: readonly string[];
  /** The `Authorization` headers that came, in order. */
  readonly tokens: readonly string[];
  /** `WWW-Authenticate` of the 401. */
  challenge: string;
  /** Paths that are protected; `/mcp` at first. */
  endpoints: readonly string[];
  /** JSON by path; any other path is 404. */
  documents: Readonly<Record<string, unknown>>;
  /** Headers of the documents. */
  headers: Readonly<Record<string, string>>;
  /** What a request without a token gets; the challenge at first. */
  whenAnonymous: Answerer;
  /** What a request with a token gets. */
  whenAuthorized: Answerer;
  /** Publishes itself at the path form of the well-known address. */
  publish(document: Readonly<Record<string, unknown>>): void;
}

type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

/** The well-known address of a server at `/mcp`, path form. */
export const pathForm = '/.well-known/oauth-protected-resource/mcp';
export const rootForm = '/.well-known/oauth-protected-resource';

/** Starts it on a free port, with a plain challenge and no document; on loopback, where no other place is given. */
export async function startOwnServer(place?: Place): Promise<OwnServer> {
  const tokens: string[] = [];
  const http = await startHttp(
    (request, response) => {
      const path = request.url?.split('?', 1)[0] ?? '';
      const document = server.documents[path];
      if (document !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json', ...server.headers });
        response.end(JSON.stringify(document));
      } else if (!server.endpoints.includes(path)) {
        response.writeHead(404).end();
      } else if (request.headers.authorization === undefined) {
        server.whenAnonymous(request, response);
      } else {
        tokens.push(request.headers.authorization);
        server.whenAuthorized(request, response);
      }
    },
    place?.tls,
    place?.address,
  );
  const origin = place === undefined ? http.origin : `https://${place.name}:${http.port}`;
  const server: OwnServer = {
    origin,
    url: `${origin}/mcp`,
    requests: http.requests,
    tokens,
    challenge: 'Bearer realm="own"',
    endpoints: ['/mcp'],
    documents: {},
    headers: {},
    whenAnonymous: (_request, response) => void response.writeHead(401, { 'www-authenticate': server.challenge }).end(),
    whenAuthorized: (_request, response) => void response.writeHead(500).end(),
    publish: (document) => {
      server.documents = { ...server.documents, [pathForm]: { resource: server.url, ...document } };
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
  return server;
}

const opened = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'open', version: '1' },
};

const results: Readonly<Record<string, unknown>> = {
  initialize: opened,
  'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};

/** It speaks the protocol, asks for a login at `tools/call`, and lets anybody do the rest. */
export function protectCalls(server: OwnServer): void {
  const respond: Answerer = async (request, response) => {
    const body = await text(request);
    const { id, method = '' } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
    const isRefused = method === 'tools/call' && request.headers.authorization === undefined;
    if (isRefused) response.writeHead(401, { 'www-authenticate': server.challenge }).end();
    else if (id === undefined) response.writeHead(request.method === 'POST' ? 202 : 405).end();
    else if (results[method] === undefined) response.writeHead(400).end();
    else {
      const message = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] });
      response.writeHead(200, { 'content-type': 'application/json' }).end(message);
    }
  };
  Object.assign(server, { documents: {}, whenAnonymous: respond, whenAuthorized: respond });
}
