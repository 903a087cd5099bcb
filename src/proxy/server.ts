import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Origins } from '../http/origins.js';
import type { PoolLimits } from '../http/pool.js';
import { type Active, ActiveSet, Lookout } from '../relay/active-set.js';
import type { Connection } from '../relay/connection.js';
import { type RequestHandler, type ServerConnection, ServerConnections } from '../relay/server-connection.js';
import { type IncomingRequest, mayHaveMore, type UnderWay } from '../relay/server-request.js';
import type { ServerResponse } from '../relay/server-response.js';
import { type Admitted, admit, admitAgain, type Gate, localKey, SessionCookies, Sessions } from './admit.js';
import { Exchange, type Surroundings } from './exchange.js';
import { lentProblem } from './lent-request.js';
import { proxyLimits } from './limits.js';
import { listen } from './listen.js';
import type { ProxyOptions, RunningProxy } from './ports.js';
import { type Refusal, refusal, refuse } from './refusal.js';

/** The connections that a proxy needs to one origin: each response may be a stream. */
export const proxyPool: PoolLimits = { bounded: 0, stream: proxyLimits.requests, streaming: 0 };

/**
 * Opens a proxy: an HTTP/1.1 server whose every admitted request goes to a mounted server with that mount's token.
 * @throws Failure `proxy_port_in_use`, `proxy_port_refused`, `proxy_socket_refused`
 */
export async function openProxy(origins: Origins<Connection>, options: ProxyOptions): Promise<RunningProxy> {
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  const running = new Running(server, origins, options);
  const listening = await listen(server, options.listen);
  const { key: wanted } = options;
  const key = wanted === false ? undefined : localKey(wanted === true ? undefined : wanted);
  const mounts = options.mounts.map((mount) => {
    const url = new URL(mount.server);
    return [mount.name, { mount, url, origin: url.origin }] as const;
  });
  const gate = { ...listening, key, mounts: new Map(mounts), sessions: running.sessions };
  running.begin(gate);
  return {
    origin: listening.origin,
    key: key?.secret,
    close: (graceMs) => running.close(graceMs),
    [Symbol.asyncDispose]: () => running.end(),
  };
}

class Running implements RequestHandler, Surroundings {
  readonly sessions = new Sessions();
  readonly cookies = new SessionCookies();
  readonly origins: Origins<Connection>;
  readonly options: ProxyOptions;
  readonly #server: Server;
  readonly #under = new ActiveSet<Exchange>();
  readonly #closing = new AbortController();
  readonly #connections = new ServerConnections();
  readonly #lookout = new Lookout(proxyLimits.sweepMs, (now, isOnTime) => {
    if (isOnTime) for (const exchange of this.#under.all()) exchange.sweep(now);
    return this.#under.size > 0;
  });
  #gate: Gate | undefined;
  #count = 0;
  ending = false;
  held = 0;
  #idle: () => void = () => undefined;

  constructor(server: Server, origins: Origins<Connection>, options: ProxyOptions) {
    this.#server = server;
    this.origins = origins;
    this.options = options;
    setMaxListeners(0, this.signal); // one for each request that waits for a connection
  }

  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  get now(): number {
    return this.#connections.now;
  }

  /** Takes requests from now on, which this gate checks. */
  begin(gate: Gate): void {
    this.#gate = gate;
    this.#server.on('connection', (socket) => this.#connections.add(socket, this));
  }

  take(connection: ServerConnection, request: IncomingRequest, response: ServerResponse): UnderWay | undefined {
    this.#count += 1;
    const number = this.#count;
    const admitted = this.#admit(request);
    if ('status' in admitted) {
      const close = admitted.close === true || mayHaveMore(request);
      refuse(response, { ...admitted, close }, `r${number}`);
      // Its address may hold the key, or what was tried as one.
      const unnamed = { path: undefined, ms: 0, program: undefined };
      this.options.log?.({ ...unnamed, method: request.method, status: admitted.status, refused: admitted.code });
      return undefined;
    }
    const { method } = request;
    const exchange = new Exchange({ connection, method, response, admitted, around: this, number });
    if (admitted.head.expects.length > 0 && admitted.framing.kind !== 'none') connection.wantBody();
    this.#lookout.start();
    this.#under.add(exchange);
    exchange.begin();
    return exchange;
  }

  async close(graceMs: number): Promise<void> {
    this.ending = true;
    this.#server.close();
    this.#connections.endIdle();
    for (const exchange of this.#under.all()) if (exchange.standing) exchange.cut();
    if (this.#under.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }

  async end(): Promise<void> {
    this.ending = true;
    this.#closing.abort();
    this.#lookout.stop();
    const closed = new Promise<void>((resolve) => {
      if (!this.#server.listening) resolve();
      this.#server.close(() => resolve());
    });
    this.#connections.end();
    await closed;
    await this.origins[Symbol.asyncDispose]();
  }

  over(exchange: Active): void {
    this.#under.remove(exchange);
    if (this.#under.size === 0) this.#idle();
  }

  #admit(request: IncomingRequest): Admitted | Refusal {
    const gate = this.#gate;
    if (this.ending || gate === undefined) return refusal('ending', true);
    const admitted = admitAgain(request, gate) ?? admit(request, gate);
    const problem =
      'mounted' in admitted && admitted.mounted.mount.policy !== undefined
        ? lentProblem(request.method, admitted)
        : undefined;
    if (problem !== undefined) return problem;
    const isFull = 'mounted' in admitted && this.#under.size >= proxyLimits.requests;
    return isFull ? refusal('too_many_requests') : admitted;
  }
}
