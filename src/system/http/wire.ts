import { urlRefused } from '../../errors/url.js';
import type { Wire, WireExchange, WireRequest, WireWatcher } from '../../ports/bridging.js';
import { gateUrl } from '../../primitives/url-gate.js';
import type { DoorOptions } from './door.js';
import type { Lane } from './lane.js';
import { usualLanes } from './lanes.js';
import { openLanePlaces } from './open-places.js';
import type { Places } from './places.js';
import { requestHeaders } from './request-headers.js';
import { Sending } from './sending.js';

const longestUrl = 8_192;
/** How often it is looked whether a head is late, in milliseconds: one timer serves all requests. */
const lookEveryMs = 1_000;

/** The quick way out: raw URL, addresses and headers are judged as by the door, redirects reported, nothing collected. */
export function createWire(options: DoorOptions): Wire {
  return new QuickWire(options);
}

class QuickWire implements Wire {
  readonly #userAgent: string;
  readonly #places: Places<Lane>;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Sending>();
  #gated: { readonly text: string; readonly url: URL } | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(options: DoorOptions) {
    this.#userAgent = options.userAgent;
    this.#places = openLanePlaces(options, usualLanes);
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
      const lane = await lanes.borrow(request.lasting ? 'stream' : 'bounded', signal);
      if (sending.isOver) {
        lanes.release(lane);
        return;
      }
      const { method, body = null } = request;
      sending.sendOn(lane, { method, target: url.pathname + url.search, headers, body });
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
