import type { Transform } from 'node:stream';
import { mediaTypeIs } from '../core/text/characters.js';
import { gateUrl } from '../core/url.js';
import { type Coding, codingOf, createDecoder } from '../http/body.js';
import { requestInterrupted, timedOut, urlRefused } from '../http/failures.js';
import { networkFailed } from '../http/network-failures.js';
import type { Origins } from '../http/origins.js';
import { requestHeaders } from '../http/request.js';
import type { Wire, WireExchange, WireRequest, WireWatcher } from '../mcp/wire.js';
import { type Active, ActiveSet, Lookout } from '../relay/active-set.js';
import type { Connection, ResponseHandler } from '../relay/connection.js';
import { headerValues, type ResponseHead } from '../relay/heads.js';

const maxUrl = 8_192;

/** How often overdue heads are looked for, in milliseconds. */
const lookEveryMs = 1_000;

/** The checks of the HTTP client over the relay's connections, for many small requests. */
export class RelayWire implements Wire, AsyncDisposable {
  readonly #userAgent: string;
  readonly #origins: Origins<Connection>;
  /** Those whose head has not come, and those whose body is coming. */
  readonly #waiting = new ActiveSet<Sending>();
  readonly #begun = new ActiveSet<Sending>();
  readonly #headed = (sending: Sending) => {
    if (this.#waiting.remove(sending)) this.#begun.add(sending);
    if (sending.isOver) this.#begun.remove(sending);
  };
  readonly #lookout = new Lookout(lookEveryMs, (now) => {
    for (const sending of this.#waiting.all()) sending.look(now);
    return this.#waiting.size > 0; // an idle bridge wakes nobody
  });
  #isClosed = false;

  /** @param origins Where its connections come from, which is its own from now on */
  constructor(userAgent: string, origins: Origins<Connection>) {
    this.#userAgent = userAgent;
    this.#origins = origins;
  }

  send(request: WireRequest, watcher: WireWatcher): WireExchange {
    const sending = new Sending(request, watcher, this.#headed);
    this.#waiting.add(sending);
    this.#lookout.start();
    void this.#start(request, sending);
    return sending;
  }

  cut(reason: unknown): void {
    for (const sending of [...this.#waiting.all(), ...this.#begun.all()]) sending.failed(reason, false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#lookout.stop();
    for (const sending of this.#waiting.all()) sending.interrupt();
    await this.#origins[Symbol.asyncDispose]();
  }

  async #start(request: WireRequest, sending: Sending): Promise<void> {
    try {
      await undefined; // nothing is told before `send` has returned
      if (this.#isClosed) return sending.interrupt();
      const gated = gateUrl(request.url, maxUrl);
      if (!gated.ok) throw urlRefused(request.url, gated.problem, 'person');
      const { url } = gated;
      const sent = requestHeaders(request.headers, this.#userAgent);
      const use = (connection: Connection) => {
        if (sending.isOver) return false;
        sending.sendOn(connection, url.pathname + url.search, sent);
        return true;
      };
      const kind = request.lasting ? 'stream' : 'bounded';
      await this.#origins.lend({ url, origin: url.origin }, kind, sending.signal, use, request.fresh);
    } catch (error) {
      sending.failed(error, false);
    }
  }
}

/** One request, from before it has a connection to the end of its response. */
class Sending implements WireExchange, ResponseHandler, Active {
  activeAt = -1;
  isOver = false;
  readonly #request: WireRequest;
  readonly #watcher: WireWatcher;
  /** Called when the head is there, and when it is over. */
  readonly #headed: (sending: Sending) => void;
  #connection: Connection | undefined;
  #leaving: AbortController | undefined;
  #decoder: Transform | undefined;
  #isEmpty = true;
  #isPaused = false;
  #waitedMs = 0;
  #lookedAt = performance.now();

  constructor(request: WireRequest, watcher: WireWatcher, headed: (sending: Sending) => void) {
    this.#request = request;
    this.#watcher = watcher;
    this.#headed = headed;
  }

  get signal(): AbortSignal {
    this.#leaving ??= new AbortController();
    if (this.isOver) this.#leaving.abort();
    return this.#leaving.signal;
  }

  sendOn(connection: Connection, target: string, headers: readonly string[]): void {
    const { method, body = null } = this.#request;
    this.#connection = connection;
    connection.send({ method, target, headers, body }, this);
    if (this.#isPaused) connection.pause(this);
  }

  /** Counts the time that this process ran, without that of a machine asleep. */
  look(now: number): void {
    this.#waitedMs += Math.min(now - this.#lookedAt, 2 * lookEveryMs);
    this.#lookedAt = now;
    const { headersMs, url } = this.#request;
    if (this.#waitedMs < headersMs) return;
    const isSent = this.#connection !== undefined;
    const what = isSent ? 'sending the headers of its response' : 'responding to the requests before';
    this.failed(timedOut(new URL(url).host, what, headersMs), false);
  }

  interrupt(): void {
    this.failed(requestInterrupted(new URL(this.#request.url).host), false);
  }

  pause(): void {
    this.#isPaused = true;
    if (this.#decoder === undefined) this.#connection?.pause(this);
    else this.#decoder.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#decoder?.resume();
    this.#connection?.resume(this);
  }

  abort(): void {
    if (!this.isOver) this.#finish();
  }

  head({ status, lines }: ResponseHead): void {
    if (this.isOver) return;
    this.#headed(this);
    const header = (name: string): readonly string[] => headerValues(lines, name);
    const coding = codingOf(header('content-encoding'));
    if (coding === 'unknown' || coding === 'several') {
      this.#fail(coding === 'unknown' ? 'unknown_coding' : 'unwanted_coding');
      return;
    }
    if (coding !== undefined) this.#decode(coding);
    if (mediaTypeIs(header('content-type')[0], 'text/event-stream')) this.#connection?.streaming(this);
    this.#watcher.head(status, header, lines);
  }

  data(chunk: Uint8Array): boolean {
    if (this.isOver) return true;
    this.#isEmpty = false;
    if (this.#decoder !== undefined) return this.#decoder.write(chunk);
    this.#watcher.data(chunk);
    return !this.#isPaused;
  }

  end(): void {
    if (this.isOver) return;
    // A response without a body has nothing to decode.
    if (this.#decoder === undefined || this.#isEmpty) this.#end();
    else this.#decoder.end();
  }

  failed(error: unknown, unanswered: boolean): void {
    if (this.isOver) return;
    this.#finish();
    this.#watcher.failed(error, unanswered);
  }

  /** Decodes no faster than the watcher takes it: a small response may unpack to an endless one. */
  #decode(coding: Coding): void {
    this.#decoder = createDecoder(coding)
      .on('data', (chunk: Uint8Array) => {
        if (!this.isOver) this.#watcher.data(chunk);
      })
      .on('drain', () => this.#connection?.resume(this))
      .once('end', () => this.#end())
      .once('error', () => this.#fail('damaged_coding'));
  }

  #end(): void {
    if (this.isOver) return;
    this.#finish();
    this.#watcher.end();
  }

  #fail(code: string): void {
    const { hostname: host, port, protocol } = new URL(this.#request.url);
    const usualPort = protocol === 'https:' ? 443 : 80;
    this.failed(networkFailed({ host, port: Number(port) || usualPort, code }), false);
  }

  #finish(): void {
    this.isOver = true;
    this.#headed(this);
    this.#leaving?.abort();
    this.#decoder?.destroy();
    this.#connection?.cut(this);
  }
}
