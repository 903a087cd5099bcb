import type { ServerResponse } from 'node:http';
import { setTimeout as later } from 'node:timers/promises';
import { event, type Rpc, type Seen, scriptedServer } from '../host.js';
import { protocolVersion, sendJson } from './newer-only.js';

export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await later(5);
};

export const meta = (capabilities: object = {}, more: object = {}) => ({
  [protocolVersion]: '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'new host', version: '7' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  ...more,
});

export const call = (
  id: unknown,
  params: object = {},
  capabilities: object = { elicitation: {} },
  more: object = {},
) => ({ id, method: 'tools/call', params: { name: 't', ...params, _meta: meta(capabilities, more) } });

export const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {}, tasks: {} };

export interface Shared {
  /** The session's own stream. */
  stream?: ServerResponse;
}

/** A server of the older era alone, with sessions. @param reply What it does with calls and lists. */
export async function olderOnly(reply: (message: Rpc, response: ServerResponse, seen: Seen, shared: Shared) => void) {
  const shared: Shared = {};
  const server = await scriptedServer((seen, response) => {
    const { id, method } = seen.message;
    if (seen.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
      shared.stream = response;
    } else if (seen.method === 'DELETE') response.writeHead(200).end();
    else if (method === 'initialize') {
      response.setHeader('mcp-session-id', 'session-1');
      const result = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'old', version: '1' } };
      sendJson(response, { id, result: { ...result, instructions: 'Sit.' } });
    } else if (seen.headers['mcp-session-id'] !== 'session-1') {
      sendJson(response, { id: null, error: { code: -32000, message: 'Begin with initialize' } }, 400);
    } else if (id === undefined || method === undefined) {
      response.writeHead(202).end();
      if (method === undefined) reply(seen.message, response, seen, shared);
    } else if (/^(?:resources\/(?:un)?subscribe|logging\/setLevel)$/.test(method))
      sendJson(response, { id, result: {} });
    else reply(seen.message, response, seen, shared);
  });
  return Object.assign(server, { shared });
}

/** Calls ask in the middle of their event stream, and respond once they know. */
export function asking(method = 'elicitation/create') {
  const open = new Map<unknown, { response: ServerResponse; id: unknown }>();
  let asked = 0;
  return olderOnly((message, response) => {
    const { id, params, result } = message;
    if (message.method === 'tools/call') {
      asked += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const progressToken = (params?.['_meta'] as { progressToken?: unknown } | undefined)?.progressToken;
      const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } };
      if (progressToken !== undefined) response.write(event(progress));
      open.set(`q${asked}`, { response, id });
      const question = { message: `who ${asked}?`, elicitationId: 'gone' };
      response.write(event({ jsonrpc: '2.0', id: `q${asked}`, method, params: question }));
    } else if (result !== undefined) {
      const one = open.get(id);
      one?.response.end(event({ jsonrpc: '2.0', id: one.id, result: { content: [], got: result } }));
    }
  });
}

export const stateOf = ({ result }: Rpc) => String(result?.['requestState']);
