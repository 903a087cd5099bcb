import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// The server that bridges are measured on: no protection, no SDK, as little work as can be. Prints its address.
interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly arguments?: { readonly text?: string; readonly notifications?: number };
  };
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => answer(JSON.parse(Buffer.concat(parts).toString()), request, response));
});

function answer(asked: Asked, _request: IncomingMessage, response: ServerResponse): void {
  const { id, method, params } = asked;
  const json = { 'content-type': 'application/json' };
  if (id === undefined) {
    response.writeHead(202).end();
  } else if (method === 'initialize') {
    const serverInfo = { name: 'bare', version: '1' };
    const result = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
    response.writeHead(200, { ...json, 'mcp-session-id': 'bare-session' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  } else if (params?.arguments?.notifications !== undefined) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    stream(response, params.arguments.notifications, id);
  } else {
    const result = { content: [{ type: 'text', text: params?.arguments?.text ?? '' }] };
    response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
}

function stream(response: ServerResponse, count: number, id: number): void {
  const event = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
  let sent = 0;
  const more = (): void => {
    let text = '';
    for (const until = Math.min(sent + 50, count); sent < until; sent += 1) {
      const params = { level: 'info', data: `notification ${sent} of a stream that is long` };
      text += event({ jsonrpc: '2.0', method: 'notifications/message', params });
    }
    const isTaken = response.write(text);
    if (sent === count) response.end(event({ jsonrpc: '2.0', id, result: { content: [] } }));
    else if (isTaken) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
process.stdin.resume().once('end', () => process.exit()); // ends with who started it
