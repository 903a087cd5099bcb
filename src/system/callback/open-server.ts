import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { portInUse, portRefused } from '../../errors/callback.js';
import { refuseClientError } from '../client-error.js';
import { type CallbackLimits, longestHead, mostHeaderLines } from './limits.js';
import { problemOfPort } from './port.js';
import { capSockets } from './socket-cap.js';

export interface LoopbackServer {
  /** The port it is bound to, from the start to `close`. */
  readonly port: number;
  /** Ends every connection, whatever state it is in, and the listening socket. */
  close(): Promise<void>;
}

/**
 * A small HTTP server on 127.0.0.1 and nowhere else (RFC 8252 section 7.3): one request per connection, hard limits,
 * nothing upgraded, no body read. The socket that was bound is the one that is used: the port is never let go and
 * bound again.
 * @throws Failure `port_in_use`, `port_refused`
 */
export async function openServer(
  port: number,
  limits: CallbackLimits,
  onRequest: RequestListener,
): Promise<LoopbackServer> {
  const problem = problemOfPort(port);
  if (problem !== undefined) throw portRefused(port, problem);
  const server = createServer({
    maxHeaderSize: longestHead,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    // Node checks the two limits above only this often; its default is 30 s.
    connectionsCheckingInterval: Math.min(500, limits.headersMs),
    insecureHTTPParser: false,
  });
  server.maxHeadersCount = mostHeaderLines;
  server.maxRequestsPerSocket = 1;
  const { open } = capSockets(server, limits.sockets);
  refuseWhatIsNoRequest(server);
  server.on('request', onRequest);
  await bind(server, port);
  return {
    port: (server.address() as AddressInfo).port,
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
      else
        reject(portRefused(port, `the system does not allow it (${error.code ?? 'unknown reason'})`, error));
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve());
  });
  // From here on only accepting can fail (too many open files): that one connection is lost, the wait is not.
  server.removeAllListeners('error').on('error', () => {});
}
