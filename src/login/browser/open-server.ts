import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { LoopbackHost } from '../../core/configuration/redirect-uri.js';
import { isFailure } from '../../core/failure.js';
import { classifyAddress } from '../../core/ip-address.js';
import { refuseClientError } from '../../http/client-error.js';
import { type CallbackLimits, maxHeadBytes, maxHeaderLines } from './callback-limits.js';
import { addressAbsent, portInUse, portRefused } from './failures.js';

export interface LoopbackServer {
  /** The port it is bound to, on each of its addresses, from the start to `close`. */
  readonly port: number;
  onRequest(listener: RequestListener): void;
  /** Ends every connection, whatever state it is in, and the listening socket. */
  close(): Promise<void>;
}

/** Where a callback is to come. */
export interface ListenAt {
  /** 0: any that is free. */
  readonly port: number;
  /** Of the redirect URI. */
  readonly host: LoopbackHost;
  /** The address of a container that it binds instead, where the person chose one. */
  readonly address?: string | undefined;
}

/** How often another free port is looked for where the one that was found is another program's on the second address. */
const maxPorts = 8;

/**
 * A small HTTP server on loopback and nowhere else (RFC 8252 section 7.3), or at the address of a container that a person
 * chose: one request per connection, hard limits, nothing upgraded, no body read. A port is never let go and bound again.
 * For `localhost` it is bound on 127.0.0.1 and on ::1, as a browser may take either: on one alone, another program could
 * have the other.
 * @throws Failure `port_in_use`, `port_refused`
 */
export async function openServer(at: ListenAt, limits: CallbackLimits): Promise<LoopbackServer> {
  const { port } = at;
  const problem = problemOfPort(port);
  if (problem !== undefined) throw portRefused(port, problem);
  const sockets = new OpenSockets(limits.sockets);
  const servers = await bindAll(at, () => newServer(at, limits, sockets), port === 0 ? maxPorts : 1);
  const [first] = servers;
  if (first === undefined) throw new Error('a server has one address at least');
  return {
    port: portOf(first),
    onRequest: (listener) => {
      for (const server of servers) server.on('request', listener);
    },
    close: async () => {
      const closed = servers.map(closing);
      sockets.destroy();
      await Promise.all(closed);
    },
  };
}

function newServer({ address }: ListenAt, limits: CallbackLimits, sockets: OpenSockets): Server {
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
  // A program here can come from any address of this machine; a browser comes from loopback.
  server.on('connection', (socket) => {
    if (address === undefined && classifyAddress(socket.remoteAddress ?? '') !== 'loopback') socket.destroy();
  });
  sockets.watch(server);
  refuseWhatIsNoRequest(server);
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const closing = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/** The addresses that a browser may take the host of a redirect URI for. */
const addressesOf: Readonly<Record<LoopbackHost, readonly string[]>> = {
  '127.0.0.1': ['127.0.0.1'],
  '[::1]': ['::1'],
  localhost: ['127.0.0.1', '::1'],
};

/** One port on each address. Where the system has no ::1, nobody can listen there. */
async function bindAll(at: ListenAt, make: () => Server, tries: number): Promise<readonly Server[]> {
  const { host, address } = at;
  const bound: Server[] = [];
  try {
    for (const one of address === undefined ? addressesOf[host] : [address]) {
      const port = bound[0] === undefined ? at.port : portOf(bound[0]);
      const server = make();
      const isBound = await bind(server, { port, address: one, host, isFirst: bound.length === 0 });
      if (isBound) bound.push(server);
    }
    return bound;
  } catch (error) {
    await Promise.all(bound.map(closing));
    if (tries <= 1 || !isFailure(error, 'port_in_use')) throw error;
    return await bindAll(at, make, tries - 1);
  }
}

function refuseWhatIsNoRequest(server: Server): void {
  const drop = (_: unknown, socket: { destroy(): void }): void => socket.destroy();
  server.on('upgrade', drop);
  server.on('connect', drop);
  server.on('checkContinue', (request) => request.socket.destroy());
  server.on('checkExpectation', (request) => request.socket.destroy());
  server.on('clientError', refuseClientError);
}

/** How systems say that they have no such address: IPv6 is off. */
const absent: readonly (string | undefined)[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** False: the system has no such address, and it is not the first one. @throws Failure `port_in_use`, `port_refused` */
async function bind(
  server: Server,
  to: { readonly port: number; readonly address: string; readonly host: LoopbackHost; readonly isFirst: boolean },
): Promise<boolean> {
  const { port, address, host, isFirst } = to;
  const isBound = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const { code = 'unknown reason' } = error;
      if (code === 'EADDRINUSE') reject(portInUse(port, { host, address }, error));
      else if (!absent.includes(code)) reject(portRefused(port, `the system does not allow it (${code})`, error));
      else if (isFirst) reject(addressAbsent(address, error));
      else resolve(false);
    });
    server.listen({ host: address, port, exclusive: true }, () => resolve(true));
  });
  // From here on only accepting can fail (too many open files): that one connection is lost, the wait is not.
  server.removeAllListeners('error').on('error', () => {});
  return isBound;
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
 * Holds the servers of one wait to `max` sockets. When one more comes, the oldest that has no request under way is
 * destroyed: a flood of silent connections cannot keep the person's browser out. With none such, the newcomer is.
 */
class OpenSockets {
  readonly #max: number;
  readonly #open = new Set<Socket>();
  readonly #busy = new Set<Socket>();

  constructor(max: number) {
    this.#max = max;
  }

  watch(server: Server): void {
    const [open, busy] = [this.#open, this.#busy];
    server.on('connection', (socket) => {
      if (open.size >= this.#max) {
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
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
