import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as later } from 'node:timers/promises';
import { type Home, makeHome } from '../support/home.js';
import { startHttp, type TestServer } from '../support/http-server.js';
import { startHere } from '../support/in-process.js';
import type { Running } from '../support/program.js';
import type { Machine } from '../support/stage-here.js';

/** A JSON-RPC message as a test looks at it. */
export interface Rpc {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/** One HTTP request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as a message; empty where it is none. */
  readonly message: Rpc;
}

/** A server that does what the test says, and remembers what it was asked. */
export interface ScriptedServer extends TestServer {
  readonly url: string;
  readonly seen: readonly Seen[];
}

export async function scriptedServer(
  answer: (seen: Seen, response: ServerResponse) => void,
  port = 0,
): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const server = await startHttp(
    (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.once('end', () => {
        const body = Buffer.concat(parts);
        const { method = '', url = '', headers } = request;
        const one = { method, url, headers, body, message: messageIn(body) };
        seen.push(one);
        answer(one, response);
      });
    },
    undefined,
    '127.0.0.1',
    port,
  );
  return Object.assign(server, { url: `${server.origin}/mcp`, seen });
}

function messageIn(body: Buffer): Rpc {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}

/** What most servers say to most messages; a session, where one is named. */
export function usual({ method, message }: Seen, response: ServerResponse, sessionId?: string): void {
  const json = { 'content-type': 'application/json' };
  if (method !== 'POST') {
    response.writeHead(method === 'DELETE' ? 200 : 405).end();
  } else if (message.id === undefined || message.method === undefined) {
    response.writeHead(202).end();
  } else if (message.method === 'initialize') {
    const session = sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
    const { protocolVersion } = message.params ?? {};
    const result = { protocolVersion, capabilities: {}, serverInfo: { name: 'scripted', version: '1' } };
    response.writeHead(200, { ...json, ...session });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  } else {
    const result = { echoed: message.params ?? {} };
    response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }
}

/** The same of a server that speaks the newer era, too. */
export function usualOfBoth(seen: Seen, response: ServerResponse, sessionId?: string): void {
  const { id, method } = seen.message;
  if (method !== 'server/discover') {
    usual(seen, response, sessionId);
    return;
  }
  const result = { supportedVersions: ['2026-07-28'], capabilities: {} };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

export function event(message: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
}

/** A server of 2024-11-05: everything comes on one stream, messages go to the address that it names. */
export function olderServer(endpoint: (origin: string) => string): Promise<ScriptedServer> {
  let stream: ServerResponse | undefined;
  return scriptedServer(({ method, url, headers, message }, response) => {
    if (method === 'GET' && url === '/mcp') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${endpoint(`http://${headers.host}`)}\n\n`);
      stream = response;
    } else if (method !== 'POST' || !url.startsWith('/messages')) {
      response.writeHead(405, { 'content-type': 'text/plain' }).end('Method not allowed');
    } else {
      response.writeHead(202).end('Accepted');
      const { id, params } = message;
      if (message.method === 'hang up') stream?.end();
      else if (id !== undefined) {
        const result = message.method === 'initialize' ? { protocolVersion: '2024-11-05' } : { echoed: params };
        stream?.write(`event: message\n${event({ jsonrpc: '2.0', id, result })}`);
      }
    }
  });
}

/** The host: starts the bridge and speaks to it line by line. */
export interface BridgeHost extends AsyncDisposable {
  readonly program: Running;
  send(message: object | string): void;
  /** The line that comes next. */
  line(): Promise<string>;
  next(): Promise<Rpc>;
  /** Sends, and reads what comes next. */
  ask(message: object | string): Promise<Rpc>;
  /** `initialize` and `notifications/initialized`. */
  open(protocolVersion?: string): Promise<Rpc>;
}

/** The bridge in this process. */
export function startBridge(home: Home, url: string, ...options: readonly string[]): BridgeHost {
  return bridgeOn({ home, own: {} }, url, ...options);
}

/** The same on a machine of the test's. */
export function bridgeOn(
  machine: Pick<Machine, 'home' | 'own'>,
  url: string,
  ...options: readonly string[]
): BridgeHost {
  return hostOf(startHere(machine.home, ['bridge', url, ...options], { own: machine.own }));
}

/** Speaks to a bridge that was started. */
export function hostOf(program: Running): BridgeHost {
  let read = 0;
  const send = (message: object | string): void => {
    program.stdin.write(`${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const line = async (): Promise<string> => {
    const number = read;
    read += 1;
    const match = await program.waitForStdout(new RegExp(`^(?:[^\\n]*\\n){${number}}([^\\n]*)\\n`));
    return match[1] ?? '';
  };
  const next = async (): Promise<Rpc> => JSON.parse(await line());
  const ask = (message: object | string): Promise<Rpc> => {
    send(message);
    return next();
  };
  return {
    program,
    send,
    line,
    next,
    ask,
    open: async (protocolVersion = '2025-11-25') => {
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion, capabilities: {}, clientInfo };
      const answer = await ask({ id: 0, method: 'initialize', params });
      send({ method: 'notifications/initialized' });
      return answer;
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** A home with nothing in it: no login, no keychain. */
export function bareHome(): Promise<Home> {
  return makeHome();
}

/** Resolves with the first request that fits, whether it has come or is to come. */
export async function requestOf(server: ScriptedServer, fits: (seen: Seen) => boolean): Promise<Seen> {
  for (;;) {
    const found = server.seen.find(fits);
    if (found !== undefined) return found;
    await later(5);
  }
}
