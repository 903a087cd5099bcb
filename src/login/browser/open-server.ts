import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { refuseClientError } from '../../http/client-error.js';
import { type CallbackLimits, maxHeadBytes, maxHeaderLines } from './callback-limits.js';
import { portInUse, portRefused } from './failures.js';

export interface LoopbackServer {
  /** The port it is bound to, from the start to `close`. */
  readonly port: number;
  onRequest(listener: RequestListener): void;
  /** Ends every connection, whatever state it is in, and the listening socket. */
  close(): Promise<void>;
}

/**
 * A small HTTP server on 127.0.0.1 and nowhere else (RFC 8252 section 7.3): one request per connection, hard limits,
 * nothing upgraded, no body read. The port is never let go and bound again.
 * @throws Failure `port_in_use`, `port_refused`
 */
export async function openServer(port: number, limits: CallbackLimits): Promise<LoopbackServer> {
  const problem = problemOfPort(port);
  if (problem !== undefined) throw portRefused(port, problem);
  const server = createServer({
    maxHeaderSize: maxHeadBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    // Node checks the two limits above only this often; its default is 30 s.
    connectionsCheckingInterval: Math.min(500, limits.headersMs),
    insecureHTTPParser: false,
  });
  server.maxHeadersCount = maxHeaderLines;
  server.maxRequestsPerSocket = 1;
  const open = capSockets(server, limits.sockets);
  refuseWhatIsNoRequest(server);
  await bind(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    onRequest: (listener) => void server.on('request', listener),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

function refuseWhatIsNoRequest(server: Server): void {
  const drop = (_: unknown, socket: { destroy(): void }): void => socket.destroy();
  server.on('upgrade', drop);
  server.on('connect', drop);
  server.on('checkContinue', (request) => request.socket.destroy());
  server.on('checkExpectation', (request) => request.socket.destroy());
  server.on('clientError', refuseClientError);
}

async function bind(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') reject(portInUse(port, error));
      else reject(portRefused(port, `the system does not allow it (${error.code ?? 'unknown reason'})`, error));
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve());
  });
  // From here on only accepting can fail (too many open files): that one connection is lost, the wait is not.
  server.removeAllListeners('error').on('error', () => {});
}

/** Ports that no browser opens (the Fetch standard's port blocking), of those that we could bind. */
const blockedByBrowsers: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Why a fixed port cannot receive the callback; undefined: it can. 0 stands for any free one. */
function problemOfPort(port: number): string | undefined {
  if (port === 0) return undefined;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return 'it is not a port number';
  if (port < 1024) return 'ports below 1024 belong to the system';
  if (blockedByBrowsers.has(port)) return 'browsers refuse to open it';
  return undefined;
}

/**
 * Holds a server to `max` sockets, and returns those that are open. When one more comes, the oldest that has no request
 * under way is destroyed: a flood of silent connections cannot keep the person's browser out. With none such, the newcomer is.
 */
function capSockets(server: Server, max: number): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on('connection', (socket) => {
    if (open.size >= max) {
      const oldestIdle = [...open].find((each) => !busy.has(each));
      open.delete(oldestIdle ?? socket);
      (oldestIdle ?? socket).destroy();
      if (oldestIdle === undefined) return;
    }
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      busy.delete(socket);
    });
  });
  server.prependListener('request', (request, response) => {
    busy.add(request.socket);
    response.once('close', () => busy.delete(request.socket));
  });
  return open;
}
