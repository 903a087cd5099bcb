import { createServer, IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { HeldResponse } from './response.js';

export type Handler = (request: IncomingMessage, response: HeldResponse) => Promise<void> | void;

export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Answers every request, those that came before, too. Called once. */
  serve(handler: Handler): void;
}

/** What `node:http` has for connections, in milliseconds. */
const usualLimits = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 30_000 };

/** Listens on 127.0.0.1 only; port 0 takes any free one. @throws the system's error when it is taken */
export async function listenOnLoopback(port: number, limits = usualLimits): Promise<LoopbackServer> {
  let serve: LoopbackServer['serve'] = () => undefined;
  const ready = new Promise<Handler>((resolve) => {
    serve = resolve;
  });
  const server = createServer({ ServerResponse: HeldResponse, IncomingMessage, ...limits });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // A browser's spare connection, on which nothing came yet: any byte would be read as the response to what it sends.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return;
    if (socket.writable && socket.bytesWritten === 0)
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    else socket.destroy();
  });
  server.on('request', (request, response) => {
    // A fault of the sandbox itself: say so, and keep serving.
    ready
      .then((handler) => handler(request, response))
      .catch(() => {
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end();
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    origin: `http://127.0.0.1:${bound}`,
    serve,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The authorization server at the protected server's port: everything but that one's own address. */
export class SharedPort implements LoopbackServer {
  readonly port: number;
  readonly origin: string;
  #handler: Handler = (_request, response) => void response.writeHead(503).end();

  constructor({ port, origin }: LoopbackServer) {
    this.port = port;
    this.origin = origin;
  }

  serve(handler: Handler): void {
    this.#handler = handler;
  }

  /** What the port serves: `own` at that path, this below any other. */
  with(path: string, own: Handler): Handler {
    return (request, response) =>
      request.url?.split('?', 1)[0] === path ? own(request, response) : this.#handler(request, response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // the port is the other one's
  }
}
