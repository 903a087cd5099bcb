import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ProxyOptions, RunningProxy } from '../../ports/proxy.js';
import { capSockets } from '../callback/socket-cap.js';
import type { Lane } from '../http/lane.js';
import type { Places } from '../http/places.js';
import { admit, type Gate } from './admit.js';
import { Exchange } from './exchange.js';
import type { Surroundings } from './exchange-parts.js';
import { proxyLimits } from './limits.js';
import { listen } from './listen.js';
import { newLocalKey } from './local-key.js';
import { Outgoing } from './outgoing.js';
import { type Refusal, refusal } from './refusal.js';
import { Sessions } from './sessions.js';

/**
 * Opens a proxy: an HTTP/1.1 server whose every admitted request goes to a mounted server with that mount's token.
 * @throws Failure `proxy_port_in_use`, `proxy_port_refused`, `proxy_socket_refused`
 */
export async function openProxy(places: Places<Lane>, options: ProxyOptions): Promise<RunningProxy> {
  const server = createServer({
    maxHeaderSize: proxyLimits.head,
    headersTimeout: proxyLimits.headMs,
    // An upload may take as long as it needs; who keeps silent in it is seen by the sweep.
    requestTimeout: 0,
    connectionsCheckingInterval: 1_000,
    // No timer for each connection: the cap on sockets lets the oldest idle one go.
    keepAliveTimeout: 0,
    insecureHTTPParser: false,
    noDelay: true,
  });
  server.maxHeadersCount = proxyLimits.headerLines;
  const { open } = capSockets(server, proxyLimits.sockets);
  const running = new Running(server, places, options);
  refuseWhatIsNoRequest(server, (socket) => running.answers(socket));
  const listening = await listen(server, options.listen);
  const key = options.key ? newLocalKey() : undefined;
  const mounts = options.mounts.map((mount) => {
    const url = new URL(mount.server);
    return [mount.name, { mount, url, origin: url.origin, targets: new Map() }] as const;
  });
  const gate = { ...listening, key, mounts: new Map(mounts), sessions: running.sessions };
  server.on('request', (request, response) => running.take(request, response, gate));
  const end = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    origin: listening.origin,
    key: key?.secret,
    close: (graceMs) => running.close(graceMs),
    [Symbol.asyncDispose]: () => running.end(end),
  };
}

class Running {
  readonly sessions = new Sessions();
  readonly #server: Server;
  readonly #places: Places<Lane>;
  readonly #around: Surroundings;
  readonly #under = new Set<Exchange>();
  readonly #closing = new AbortController();
  readonly #sweeper: NodeJS.Timeout;
  readonly #responses = new WeakMap<Duplex, ServerResponse>();
  #count = 0;
  #ending = false;
  #idle: () => void = () => undefined;

  constructor(server: Server, places: Places<Lane>, options: ProxyOptions) {
    this.#server = server;
    this.#places = places;
    const running = this;
    this.#around = {
      places,
      options,
      sessions: this.sessions,
      signal: this.#closing.signal,
      get ending() {
        return running.#ending;
      },
    };
    this.#sweeper = setInterval(() => this.#sweep(), proxyLimits.sweepMs).unref();
  }

  take(request: IncomingMessage, response: ServerResponse, gate: Gate): void {
    const { method = '', url: target = '', httpVersion: version, rawHeaders } = request;
    this.#count += 1;
    this.#responses.set(request.socket, response);
    const id = `r${this.#count}`;
    const refuse = (answer: Refusal) => {
      const hasBody =
        request.headers['content-length'] !== undefined || 'transfer-encoding' in request.headers;
      new Outgoing(response).refuse({ ...answer, close: answer.close === true || hasBody }, id);
    };
    const admitted = this.#ending
      ? ({ ok: false, ...refusal('ending', true) } as const)
      : admit({ method, target, version, rawHeaders }, gate);
    if (!admitted.ok) {
      refuse(admitted);
      return;
    }
    if (this.#under.size >= proxyLimits.requests) {
      refuse(refusal('too_many_requests'));
      return;
    }
    const over = () => {
      this.#under.delete(exchange);
      if (this.#under.size === 0) this.#idle();
    };
    const exchange = new Exchange({ request, response, admitted, around: this.#around, id, over });
    this.#under.add(exchange);
    exchange.begin();
  }

  /** Is an answer on its way there, or was the last one sent? */
  answers(socket: Duplex): boolean {
    const response = this.#responses.get(socket);
    return response !== undefined && (!response.writableFinished || !response.shouldKeepAlive);
  }

  async close(graceMs: number): Promise<void> {
    this.#ending = true;
    this.#server.close();
    this.#server.closeIdleConnections();
    for (const exchange of this.#under) if (exchange.standing) exchange.cut();
    if (this.#under.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }

  async end(destroySockets: () => void): Promise<void> {
    this.#ending = true;
    this.#closing.abort();
    clearInterval(this.#sweeper);
    const closed = new Promise<void>((resolve) => {
      if (!this.#server.listening) resolve();
      this.#server.close(() => resolve());
    });
    destroySockets();
    await closed;
    await this.#places[Symbol.asyncDispose]();
  }

  #sweep(): void {
    const now = performance.now();
    for (const exchange of this.#under) exchange.sweep(now);
  }
}

function refuseWhatIsNoRequest(server: Server, answers: (socket: Duplex) => boolean): void {
  server.on('connect', (_, socket) => {
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Half an answer may already be on its way there; a second one would be read as its body.
    if (!socket.writable || answers(socket)) {
      socket.destroy();
      return;
    }
    const status =
      error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
      socket.destroy(),
    );
  });
}
