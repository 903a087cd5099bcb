import type { ServerResponse } from 'node:http';
import { setTimeout as later } from 'node:timers/promises';
import { type BridgeHost, event, type Rpc, type ScriptedServer, type Seen, scriptedServer } from '../host.js';

/** A server of the newer era alone, whose `subscriptions/listen` stay open. */
export interface NewerOnly extends ScriptedServer {
  /** The streams of changes that are open, the latest last. */
  readonly streams: readonly { readonly filter: Record<string, unknown>; readonly response: ServerResponse }[];
  /** Sends a notification on the latest one. */
  change(method: string, params?: object): void;
}

export const protocolVersion = 'io.modelcontextprotocol/protocolVersion';

export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await later(5);
};

/** What each request of a host of the newer era says. */
export const meta = (capabilities: object = {}) => ({
  [protocolVersion]: '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'new host', version: '7' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

export const metaIn = ({ message }: Pick<Seen, 'message'>) =>
  (message.params?.['_meta'] ?? {}) as Record<string, unknown>;

export const methodsOf = (server: ScriptedServer) => server.seen.map(({ message }) => message.method ?? '');

export function sendJson(response: ServerResponse, message: object, status = 200): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };

/** @param reply What it says to anything else; undefined where it has responded itself. */
export async function newerOnly(
  reply: (message: Rpc, seen: Seen, response: ServerResponse) => object | undefined,
): Promise<NewerOnly> {
  const streams: { filter: Record<string, unknown>; response: ServerResponse }[] = [];
  const server = await scriptedServer((seen, response) => {
    const { id, method, params } = seen.message;
    if (metaIn(seen)[protocolVersion] !== '2026-07-28' || seen.headers['mcp-method'] !== method) {
      const error = { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } };
      return sendJson(response, { id, error }, 400);
    }
    if (method === 'server/discover') {
      const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'newer', version: '9' } };
      const about = { supportedVersions: ['2026-07-28'], capabilities, instructions: 'Be brief.', ttlMs: 0, _meta };
      return sendJson(response, { id, result: { resultType: 'complete', ...about } });
    }
    if (method === 'subscriptions/listen') {
      const filter = (params?.['notifications'] ?? {}) as Record<string, unknown>;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const one = { filter, response };
      streams.push(one);
      response.once('close', () => streams.splice(streams.indexOf(one), 1));
      const said = { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications: filter };
      response.write(event({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: said }));
      return;
    }
    const said = reply(seen.message, seen, response);
    if (said !== undefined) sendJson(response, { id, ...said });
  });
  const change = (method: string, params: object = {}) =>
    void streams.at(-1)?.response.write(event({ jsonrpc: '2.0', method, params }));
  return Object.assign(server, { streams, change });
}

/** A host of the older era begins. */
export async function open(host: BridgeHost, capabilities: object = {}, revision = '2025-06-18') {
  const clientInfo = { name: 'old host', version: '3' };
  const params = { protocolVersion: revision, capabilities, clientInfo };
  const answer = await host.ask({ id: 'init', method: 'initialize', params });
  host.send({ method: 'notifications/initialized' });
  return answer;
}
