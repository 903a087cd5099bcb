import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';

/** An HTTP proxy on loopback that opens tunnels and nothing else. */
export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** What was asked: `CONNECT host:port`, or any other request line that came. */
  readonly asked: readonly string[];
  /** Values of Proxy-Authorization, in order. */
  readonly authorizations: readonly (string | undefined)[];
}

/**
 * Starts it. Every tunnel leads to `target` on 127.0.0.1, whatever name was asked for, as if the proxy's
 * own name service had said so; a `status` other than 200 refuses all of them.
 */
export async function startConnectProxy(target: number, status = 200): Promise<ConnectProxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(405).end();
  });
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  server.on('connection', keep);
  server.on('connect', (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    authorizations.push(request.headers['proxy-authorization']);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const upstream = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    keep(upstream);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const bound = server.address();
  return {
    port: bound !== null && typeof bound === 'object' ? bound.port : 0,
    asked,
    authorizations,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
