import { networkFailed, timedOut } from '../../errors/network.js';
import { urlRefused } from '../../errors/url.js';
import type { Wire, WireExchange, WireRequest, WireWatcher } from '../../ports/bridging.js';
import { gateUrl } from '../../primitives/url-gate.js';
import type { DoorOptions } from './door.js';
import { usualLanes } from './lanes.js';
import { openPlaces } from './open-places.js';
import type { Places } from './places.js';
import { requestHeaders } from './request-headers.js';
import { WireHandler } from './wire-handler.js';

const longestUrl = 8_192;
/** How often it is looked whether a head is late, in milliseconds: one timer serves all requests. */
const lookEveryMs = 1_000;

/** The quick way out: raw URL, addresses and headers are judged as by the door, redirects reported, nothing collected. */
export function createWire(options: DoorOptions): Wire {
  return new QuickWire(options);
}

class QuickWire implements Wire {
  readonly #userAgent: string;
  readonly #places: Places;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Sending>();
  #gated: { readonly text: string; readonly url: URL } | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(options: DoorOptions) {
    this.#userAgent = options.userAgent;
    this.#places = openPlaces(options, usualLanes);
  }

  send(request: WireRequest, watcher: WireWatcher): WireExchange {
    const sending = new Sending(request, watcher, (done) => this.#waiting.delete(done));
    this.#waiting.add(sending);
    this.#look ??= setInterval(() => this.#lookAround(), lookEveryMs).unref();
    void this.#start(request, sending);
    return sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#look);
    this.#closing.abort();
    await this.#places[Symbol.asyncDispose]();
  }

  async #start(request: WireRequest, sending: Sending): Promise<void> {
    const { signal } = this.#closing;
    try {
      await undefined; // nothing is told before `send` has returned
      signal.throwIfAborted();
      const url = this.#urlOf(request.url);
      const headers = requestHeaders(request.headers, this.#userAgent);
      const lanes = await this.#places.find(url, 'person', signal);
      const { lane, release } = await lanes.borrow(request.lasting ? 'stream' : 'bounded', signal);
      if (sending.isOver) {
        release();
        return;
      }
      const handler = new WireHandler({
        party: lanes.place,
        watcher: sending,
        reused: lane.reused,
        released: (complete) => {
          if (!complete) void lane[Symbol.asyncDispose]();
          release();
        },
      });
      sending.sentWith(handler);
      const { method, body = null } = request;
      lane.dispatch({ path: url.pathname + url.search, method, headers, body }, handler);
    } catch (error) {
      sending.failed(error, false);
    }
  }

  /** A bridge has one address, or two: the latest needs no second look. */
  #urlOf(text: string): URL {
    if (this.#gated?.text === text) return this.#gated.url;
    const judged = gateUrl(text, longestUrl);
    if (!judged.ok) throw urlRefused(text, judged.problem, 'person');
    this.#gated = { text, url: judged.url };
    return judged.url;
  }

  #lookAround(): void {
    const now = performance.now();
    for (const sending of this.#waiting) sending.look(now, lookEveryMs);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#look); // an idle bridge wakes nobody
    this.#look = undefined;
  }
}

class Sending implements WireExchange, WireWatcher {
  isOver = false;
  readonly #request: WireRequest;
  readonly #watcher: WireWatcher;
  /** Called when the head is there, or will not come. */
  readonly #headed: (sending: this) => void;
  #handler: WireHandler | undefined;
  #isPaused = false;
  #waitedMs = 0;
  #lookedAt = performance.now();

  constructor(request: WireRequest, watcher: WireWatcher, headed: (sending: Sending) => void) {
    this.#request = request;
    this.#watcher = watcher;
    this.#headed = headed;
  }

  sentWith(handler: WireHandler): void {
    this.#handler = handler;
    if (this.#isPaused) handler.pause();
  }

  /** Counts the time that this process ran; not that of a machine that was asleep. */
  look(now: number, atMost: number): void {
    this.#waitedMs += Math.min(now - this.#lookedAt, 2 * atMost);
    this.#lookedAt = now;
    const { headersMs, url } = this.#request;
    if (this.#waitedMs < headersMs) return;
    this.failed(timedOut(new URL(url).host, 'sending the headers of its answer', headersMs), false);
  }

  pause(): void {
    this.#isPaused = true;
    this.#handler?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#handler?.resume();
  }

  abort(): void {
    if (this.isOver) return;
    this.#finish();
    this.#handler?.abort();
  }

  head(status: number, header: (name: string) => readonly string[]): void {
    if (this.isOver) return;
    this.#headed(this);
    if (header('content-encoding').some((coding) => !/^(?:identity)?$/i.test(coding.trim()))) {
      const { host, port } = new URL(this.#request.url);
      this.failed(networkFailed({ host, port: Number(port), code: 'unwanted_coding' }), false);
      return;
    }
    this.#watcher.head(status, header);
  }

  data(chunk: Uint8Array): void {
    if (!this.isOver) this.#watcher.data(chunk);
  }

  end(): void {
    if (this.isOver) return;
    this.#finish();
    this.#watcher.end();
  }

  failed(error: unknown, unanswered: boolean): void {
    if (this.isOver) return;
    this.#finish();
    this.#handler?.abort();
    this.#watcher.failed(error, unanswered);
  }

  #finish(): void {
    this.isOver = true;
    this.#headed(this);
  }
}
