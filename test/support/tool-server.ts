import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startHttp, type TestServer } from './http-server.js';

/** A protected server with four tools, one of them marked read-only, that takes any token and keeps no session. */
export interface ToolServer extends AsyncDisposable {
  readonly url: string;
  /** Tools that were called, in order. */
  readonly called: readonly string[];
  /** Methods that were asked for so far, `initialize` and notifications aside. */
  methods(): readonly string[];
}

const tools = [
  { name: 'read_note', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'write_note', inputSchema: { type: 'object' }, annotations: { readOnlyHint: false } },
  { name: 'delete_note', inputSchema: { type: 'object' } },
  { name: 'other', inputSchema: { type: 'object' }, annotations: { title: 'readOnlyHint' } },
];

interface Message {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly cursor?: string };
}

/** How it answers: `twice` names a member twice, `page` calls its JSON a page. */
export async function startToolServer(form: 'json' | 'events' | 'coded' | 'twice' | 'page'): Promise<ToolServer> {
  const called: string[] = [];
  const methods: string[] = [];
  const answer = ({ id, method, params }: Message): string[] => {
    if (!/^(?:initialize|notifications\/)/.test(method)) methods.push(method);
    if (method === 'tools/call') called.push(params?.name ?? '');
    return id === undefined ? [] : [JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })];
  };
  const server: TestServer = await startHttp((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => void pieces.push(piece));
    request.on('end', () => {
      if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const given = JSON.parse(Buffer.concat(pieces).toString()) as Message | Message[];
      const answers = [given].flat().flatMap(answer);
      if (answers.length === 0) response.writeHead(202).end();
      else write(response, form, Array.isArray(given) ? `[${answers.join(',')}]` : (answers[0] ?? ''));
    });
  });
  const close = () => server[Symbol.asyncDispose]();
  return { url: `${server.origin}/mcp`, called, methods: () => methods, [Symbol.asyncDispose]: close };
}

/** The list comes in two pages. */
function resultOf(method: string, params: Message['params']): object {
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: `"did":"${params?.name}"` }], did: params?.name };
  if (method === 'tools/list') {
    return params?.cursor === undefined ? { tools: tools.slice(0, 2), nextCursor: 'next' } : { tools: tools.slice(2) };
  }
  const serverInfo = { name: 'tools', version: '1' };
  return method === 'initialize' ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } : {};
}

function write(response: ServerResponse, form: string, text: string): void {
  const type = {
    'content-type': form === 'events' ? 'text/event-stream' : form === 'page' ? 'text/html' : 'application/json',
  };
  const body = form === 'twice' ? text.replace('"result":', '"result":{},"result":') : text;
  if (form === 'coded') response.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(gzipSync(body));
  else if (form === 'events') response.writeHead(200, type).end(`: hello\n\nevent: message\ndata: ${body}\n\n`);
  else response.writeHead(200, type).end(form === 'page' ? `<!-- -->${body}` : body);
}
