import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { LoopbackHost } from '../../core/configuration/redirect-uri.js';
import { isFailure } from '../../core/failure.js';
import { classifyAddress } from '../../core/ip-address.js';
import { addressAbsent, portInUse, portRefused } from './failures.js';
import { type PageLimits, sendPage } from './final-page.js';
import { createPages } from './page.js';

/** Limits of the callback listener. Times in milliseconds. */
export interface CallbackLimits extends PageLimits {
  /** Connections at a time; the one that has been silent longest gives way to a new one. */
  readonly sockets: number;
  /** From a request's first byte to the end of its headers. A connection on which nothing came has no limit. */
  readonly headersMs: number;
  /** From a request's first byte to its end. */
  readonly requestMs: number;
}

export const callbackLimits: CallbackLimits = {
  sockets: 64,
  headersMs: 5_000,
  requestMs: 10_000,
  holdMs: 60_000,
  lingerMs: 5_000,
};

/** Request line and headers together, in bytes: the HTTP parser refuses what is longer with 431. */
const maxHeadBytes = 16_384;

/** Header lines of a request: Node drops what is over this silently, so that many are refused. */
const maxHeaderLines = 100;

export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** In origin form: `path` and, behind a question mark, `query`. */
  readonly target: string;
  readonly path: string;
  readonly query: string | undefined;
}

export interface LoopbackServer {
  /** The port it is bound to, on each of its addresses, from the start to `close`. */
  readonly port: number;
  /** What may not be looked at has got our constant page before. @param authority The one `Host` that is ours. */
  onVisit(authority: string, listener: (visit: Visit) => void): void;
  /** Ends every connection, whatever state it is in, and the listening socket. */
  close(): Promise<void>;
}

/** Where a callback is to come. */
export interface CallbackAddress {
  /** 0: any that is free. */
  readonly port: number;
  /** Of the redirect URI. */
  readonly host: LoopbackHost;
  /** The address of a container that is listened at instead of loopback, by a person's choice. */
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
export async function openServer(at: CallbackAddress, limits: CallbackLimits): Promise<LoopbackServer> {
  const { port } = at;
  const problem = problemOfPort(port);
  if (problem !== undefined) throw portRefused(port, problem);
  const sockets = new OpenSockets(limits.sockets);
  const servers = await bindAll(at, () => newServer(at, limits, sockets), port === 0 ? maxPorts : 1);
  const [first] = servers;
  if (first === undefined) throw new Error('a server has one address at least');
  return {
    port: portOf(first),
    onVisit: (authority, listener) => {
      const { nothing } = createPages();
      for (const server of servers) {
        server.on('request', (request, response) => {
          const status = whyRefused(request, authority);
          if (status !== undefined) return sendPage(response, status, nothing);
          const { url: target = '' } = request;
          const [path = ''] = target.split('?', 1);
          const query = path === target ? undefined : target.slice(path.length + 1);
          listener({ request, response, target, path, query });
        });
      }
    },
    close: async () => {
      const closed = servers.map(closing);
      sockets.destroy();
      await Promise.all(closed);
    },
  };
}

function newServer({ address }: CallbackAddress, limits: CallbackLimits, sockets: OpenSockets): Server {
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
async function bindAll(at: CallbackAddress, make: () => Server, tries: number): Promise<readonly Server[]> {
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

/**
 * Handles a connection on which no readable request came. Browsers open spare connections and keep them for their next
 * request, so any byte on an idle one is read as the response to it: an idle connection gets no byte and stays open. (Node
 * reports it as late by its `headersTimeout` and, by default, writes a 408 there.) A request that stalls is cut off.
 */
function refuseClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex & { readonly bytesRead?: number; readonly bytesWritten?: number },
): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    if (socket.bytesRead !== 0) socket.destroy();
    return;
  }
  // Half a response may be on its way there; a second one would be read as its body.
  if (!socket.writable || socket.bytesWritten !== 0) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
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

/** How browsers announce that nobody has asked to see the page yet. */
const speculative = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/**
 * Why a request may not be looked at, by form alone; undefined: it may. It has exactly one Host, equal to the address that we are bound
 * to (RFC 9112 section 3.2; keeps out rebound names); a target in origin form; GET without a body; and, where the
 * browser says what it is for (Fetch Metadata), the navigation of a whole page, not an image, a frame or a script's
 * request. All from the raw header lines, because Node shows only the first of two Hosts.
 */
function whyRefused(request: IncomingMessage, authority: string): 400 | 405 | 413 | 431 | undefined {
  const { method, url: target = '', rawHeaders } = request;
  if (rawHeaders.length / 2 >= maxHeaderLines) return 431;
  const valuesOf = (name: string): string[] =>
    rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  const hosts = valuesOf('host');
  if (hosts.length !== 1 || hosts[0] !== authority) return 400;
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(target)) return 400;
  if (method !== 'GET') return 405;
  const hasBody =
    valuesOf('transfer-encoding').length > 0 || valuesOf('content-length').some((length) => length !== '0');
  if (hasBody) return 413;
  const isNavigation =
    valuesOf('sec-fetch-mode').every((mode) => mode === 'navigate') &&
    valuesOf('sec-fetch-dest').every((destination) => destination === 'document') &&
    speculative.every((name) => valuesOf(name).length === 0);
  return isNavigation ? undefined : 400;
}
