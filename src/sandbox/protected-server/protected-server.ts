import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasHost, targetOf } from '../wire/request.js';
import { jsonResponse, type SentResponse, send } from '../wire/response.js';
import { admit } from './admit.js';
import { tokenGate } from './gate.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { buildMcpServer } from './mcp-server.js';
import type { ProtectedServerSettings } from './options.js';
import { PagesToSee } from './pages-to-see.js';
import { ProofGate } from './proof-gate.js';
import { metadataPaths, metadataResponse, metadataUrl } from './resource-metadata.js';
import { TaskStore } from './tasks.js';
import { NoteStore } from './tools/notes.js';

/** The protected server of the sandbox: a resource server (OAuth 2.1 section 5) with tools worth calling. */
export interface ProtectedServer extends AsyncDisposable {
  /** Serves one request; the body must not have been read. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Protocol sessions that are open. */
  readonly sessionCount: number;
  /** Ends every session. */
  close(): Promise<void>;
}

/** Makes the server; whoever listens hands it the requests. */
export function createProtectedServer(settings: ProtectedServerSettings): ProtectedServer {
  const { host, origin, pathname } = new URL(settings.resource);
  const notes = new NoteStore();
  const tasks = new TaskStore();
  const pages = new PagesToSee(settings.resource);
  const proofs = new ProofGate(settings);
  const enter = tokenGate(settings, proofs);
  const endpoint = new McpEndpoint(
    () => buildMcpServer({ notes, tasks, pages, accounts: settings.accounts }),
    metadataUrl(settings),
    settings.eras,
  );

  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<SentResponse> => {
    if (!hasHost(request, host)) return jsonResponse(421, { error: 'misdirected_request' });
    const path = targetOf(request).pathname;
    if (metadataPaths(settings).includes(path)) return metadataResponse(settings, request.method ?? '');
    const page = pages.response(request.method ?? '', path);
    if (page !== undefined) return page;
    if (path !== pathname) return jsonResponse(404, { error: 'not_found' });
    // A page of another origin has no business here, and is given no CORS header either.
    const from = request.headers.origin;
    if (from !== undefined && from !== origin) return jsonResponse(403, { error: 'forbidden_origin' });
    const entry = await enter(request);
    if ('refusal' in entry) return entry.refusal;
    const admitted = await admit(request, response, settings.resource, entry.caller);
    return 'caller' in admitted ? endpoint.reply(admitted) : admitted;
  };
  const close = (): Promise<void> => {
    tasks.close();
    return endpoint.close();
  };
  return {
    handler: async (request, response) => {
      const given = await reply(request, response);
      send(response, { ...given, headers: [...given.headers, ...proofs.headers()] });
      // A stream's head goes out before there is anything to tell.
      if (!(given.body instanceof Uint8Array)) response.flushHeaders();
    },
    get sessionCount() {
      return endpoint.sessionCount;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
