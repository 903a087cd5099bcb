import { setMaxListeners } from 'node:events';
import { urlRefused } from '../../errors/url.js';
import type { Wire, WireExchange, WireRequest, WireWatcher } from '../../ports/bridging.js';
import { Roster } from '../../primitives/roster.js';
import { gateUrl } from '../../primitives/url-gate.js';
import type { DoorOptions } from './door.js';
import type { Lane } from './lane.js';
import { type LentFor, usualLanes } from './lanes.js';
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

/** The latest address and headers that were judged: a bridge repeats both, as the very same objects. */
interface Judged {
  readonly given: string;
  readonly origin: string;
  readonly target: string;
  readonly headers: { readonly given: WireRequest['headers']; readonly sent: readonly string[] };
}

class QuickWire implements Wire {
  readonly #userAgent: string;
  readonly #places: Places<Lane>;
  readonly #closing = new AbortController();
  readonly #waiting = new Roster<Sending>();
  readonly #headed = (sending: Sending) => void this.#waiting.remove(sending);
  #latest: Judged | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(options: DoorOptions) {
    this.#userAgent = options.userAgent;
    this.#places = openLanePlaces(options, usualLanes);
    setMaxListeners(0, this.#closing.signal); // one for each request that waits for a connection
  }

  send(request: WireRequest, watcher: WireWatcher): WireExchange {
    const sending = new Sending(request, watcher, this.#headed);
    this.#waiting.add(sending);
    this.#look ??= setInterval(() => this.#lookAround(), lookEveryMs).unref();
    if (!this.#startNow(request, sending)) void this.#start(request, sending);
    return sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#look);
    this.#latest = undefined;
    this.#closing.abort();
    await this.#places[Symbol.asyncDispose]();
  }

  /** Where the address has been judged and a connection is there, nothing has to be waited for. */
  #startNow(request: WireRequest, sending: Sending): boolean {
    const latest = this.#latest;
    if (latest?.given !== request.url || latest.headers.given !== request.headers) return false;
    const lane = this.#places.open(latest.origin)?.borrowNow(kindOf(request));
    if (lane === undefined) return false;
    sending.sendOn(lane, latest.target, latest.headers.sent);
    return true;
  }

  async #start(request: WireRequest, sending: Sending): Promise<void> {
    const { signal } = this.#closing;
    try {
      await undefined; // nothing is told before `send` has returned
      signal.throwIfAborted();
      const url = this.#urlOf(request.url);
      const sent = requestHeaders(request.headers, this.#userAgent);
      const lanes = await this.#places.find(url, 'person', signal);
      const lane = await lanes.borrow(kindOf(request), signal);
      if (sending.isOver) {
        lanes.release(lane);
        return;
      }
      const target = url.pathname + url.search;
      const headers = { given: request.headers, sent };
      this.#latest = { given: request.url, origin: url.origin, target, headers };
      sending.sendOn(lane, target, sent);
    } catch (error) {
      sending.failed(error, false);
    }
  }

  #urlOf(text: string): URL {
    const judged = gateUrl(text, longestUrl);
    if (!judged.ok) throw urlRefused(text, judged.problem, 'person');
    return judged.url;
  }

  #lookAround(): void {
    const now = performance.now();
    for (const sending of this.#waiting.all()) sending.look(now, lookEveryMs);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#look); // an idle bridge wakes nobody
    this.#look = undefined;
  }
}

function kindOf({ lasting }: WireRequest): LentFor {
  return lasting ? 'stream' : 'bounded';
}
