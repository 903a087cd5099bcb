import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** A server on loopback that counts what arrives. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>` or `https://127.0.0.1:<port>`. */
  readonly origin: string;
  /** `GET /path`, as they came. */
  readonly requests: readonly string[];
  /** How many connections were opened, and how many are open. */
  readonly connections: { readonly opened: number; readonly open: number };
}

/** Where a server stands that is not on loopback: its address, and the name by which it is called. */
export interface Place {
  readonly name: string;
  readonly address: string;
  readonly tls: ServerOptions;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A plain or, with `tls`, a TLS server on `port`, or a free one, of `address`. */
export function startHttp(handler: Handler, tls?: ServerOptions, address = '127.0.0.1', port = 0): Promise<TestServer> {
  const requests: string[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handler(request, response);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  return listening(server, requests, tls === undefined ? 'http' : 'https', { address, port });
}

/** A server that speaks whatever `handler` writes to the socket. */
export function startTcp(handler: (socket: Socket) => void): Promise<TestServer> {
  return listening(createTcpServer(handler), [], 'http', { address: '127.0.0.1', port: 0 });
}

/** Resolves once nobody is connected; fails after ten seconds with what should have happened. */
export async function allClosed({ connections }: Pick<TestServer, 'connections'>): Promise<void> {
  const late = performance.now() + 10_000;
  while (connections.open > 0) {
    if (performance.now() > late) throw new Error(`${connections.open} connections stay open that should have ended`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function listening(
  server: Server,
  requests: string[],
  scheme: string,
  place: { readonly address: string; readonly port: number },
): Promise<TestServer> {
  const { address } = place;
  const sockets = new Set<Socket>();
  const connections = {
    opened: 0,
    get open(): number {
      return sockets.size;
    },
  };
  server.on('connection', (socket: Socket) => {
    connections.opened += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(place.port, address, resolve);
  });
  const bound = server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
  return {
    port,
    origin: `${scheme}://${address.includes(':') ? `[${address}]` : address}:${port}`,
    requests,
    connections,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
