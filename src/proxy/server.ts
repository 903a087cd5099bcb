import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Places } from '../http/origins.js';
import { Roster } from '../relay/active-set.js';
import type { Lane } from '../relay/connection.js';
import { proxyLimits } from '../relay/limits.js';
import { type CallerConnection, CallerConnections, type CallerServer } from '../relay/server-connection.js';
import type { IncomingHead, UnderWay } from '../relay/server-request.js';
import type { Answer } from '../relay/server-response.js';
import { type Admitted, admit, admitAgain, type Gate, newLocalKey, type Refused, refused } from './admit.js';
import { Exchange } from './exchange.js';
import type { Surroundings } from './exchange-parts.js';
import { listen } from './listen.js';
import { Endpoints } from './mount-path.js';
import type { ProxyOptions, RunningProxy } from './ports.js';
import { ReadAnswers } from './refusal.js';
import { Sessions } from './sessions.js';

/**
 * Opens a proxy: an HTTP/1.1 server whose every admitted request goes to a mounted server with that mount's token.
 * @throws Failure `proxy_port_in_use`, `proxy_port_refused`, `proxy_socket_refused`
 */
export async function openProxy(places: Places<Lane>, options: ProxyOptions): Promise<RunningProxy> {
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  const running = new Running(server, places, options);
  const listening = await listen(server, options.listen);
  const key = options.key ? newLocalKey() : undefined;
  const mounts = options.mounts.map((mount) => {
    const url = new URL(mount.server);
    return [
      mount.name,
      { mount, url, origin: url.origin, targets: new Map(), endpoints: new Endpoints() },
    ] as const;
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

class Running implements CallerServer {
  readonly sessions = new Sessions();
  readonly #server: Server;
  readonly #places: Places<Lane>;
  readonly #around: Surroundings;
  readonly #under = new Roster<Exchange>();
  readonly #closing = new AbortController();
  readonly #connections = new CallerConnections();
  /** Runs while requests are under way. */
  #sweeper: NodeJS.Timeout | undefined;
  #swept = 0;
  #gate: Gate | undefined;
  #count = 0;
  #ending = false;
  #idle: () => void = () => undefined;

  constructor(server: Server, places: Places<Lane>, options: ProxyOptions) {
    this.#server = server;
    this.#places = places;
    const { sessions } = this;
    const { signal } = this.#closing;
    setMaxListeners(0, signal); // one for each request that waits for a connection
    const answers = new ReadAnswers();
    this.#around = { places, options, sessions, answers, signal, over: (exchange) => this.#over(exchange) };
  }

  get now(): number {
    return this.#connections.now;
  }

  get ending(): boolean {
    return this.#ending;
  }

  /** Takes requests from now on, which this gate judges. */
  begin(gate: Gate): void {
    this.#gate = gate;
    this.#server.on('connection', (socket) => this.#connections.add(socket, this));
  }

  take(connection: CallerConnection, request: IncomingHead, answer: Answer): UnderWay | undefined {
    this.#count += 1;
    const number = this.#count;
    const admitted = this.#judge(request);
    if (!admitted.ok) {
      const close = admitted.close === true || mayHaveMore(request);
      answer.refuse({ ...admitted, close }, `r${number}`);
      return undefined;
    }
    const { method } = request;
    const exchange = new Exchange({ connection, method, answer, admitted, around: this.#around, number });
    if (admitted.head.expects.length > 0 && admitted.framing.kind !== 'none') {
      connection.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    }
    if (this.#sweeper === undefined) {
      this.#swept = performance.now();
      this.#sweeper = setInterval(() => this.#sweep(), proxyLimits.sweepMs).unref();
    }
    this.#under.add(exchange);
    exchange.begin();
    return exchange;
  }

  async close(graceMs: number): Promise<void> {
    this.#ending = true;
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
    this.#ending = true;
    this.#closing.abort();
    clearInterval(this.#sweeper);
    const closed = new Promise<void>((resolve) => {
      if (!this.#server.listening) resolve();
      this.#server.close(() => resolve());
    });
    this.#connections.end();
    await closed;
    await this.#places[Symbol.asyncDispose]();
  }

  #judge(request: IncomingHead): Admitted | Refused {
    const gate = this.#gate;
    if (this.#ending || gate === undefined) return refused('ending', true);
    const admitted = admitAgain(request, gate) ?? admit(request, gate);
    const isFull = admitted.ok && this.#under.size >= proxyLimits.requests;
    return isFull ? refused('too_many_requests') : admitted;
  }

  #over(exchange: Exchange): void {
    this.#under.remove(exchange);
    if (this.#under.size === 0) this.#idle();
  }

  #sweep(): void {
    const now = performance.now();
    // Where this process was stopped meanwhile, what has come is still unread: who is late is seen next time.
    const isOnTime = now - this.#swept < 2 * proxyLimits.sweepMs;
    this.#swept = now;
    if (isOnTime) for (const exchange of this.#under.all()) exchange.sweep(now);
    if (this.#under.size > 0) return;
    clearInterval(this.#sweeper); // an idle proxy wakes nobody
    this.#sweeper = undefined;
  }
}

/** Does a body follow, or the end of the connection? Behind a refusal nothing is read on then. */
function mayHaveMore({ lines }: IncomingHead): boolean {
  return lines.some(
    (line, at) =>
      at % 2 === 0 &&
      (/^(?:content-length|transfer-encoding)$/i.test(line) ||
        (/^connection$/i.test(line) && /close/i.test(lines[at + 1] ?? ''))),
  );
}
