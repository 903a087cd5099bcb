import { setMaxListeners } from 'node:events';
import { mediaTypeIs } from '../core/text/characters.js';
import { gateUrl } from '../core/url.js';
import { urlRefused } from '../http/address-failures.js';
import { requestHeaders } from '../http/attempt.js';
import { networkFailed, timedOut } from '../http/failures.js';
import { type DoorOptions, openLanePlaces, type Places } from '../http/origins.js';
import { type LentFor, usualLanes } from '../http/pool.js';
import { type Listed, Roster } from './active-set.js';
import type { Lane } from './connection.js';
import type { AnswerTaker } from './exchange-parts.js';
import type { AnswerHead } from './response-head.js';
import { codingOf, Unpacking } from './unpacking.js';

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

/** One request of the quick wire, from before it has a connection to the end of its answer. */
export class Sending implements WireExchange, AnswerTaker, Listed {
  listedAt = -1;
  isOver = false;
  readonly #request: WireRequest;
  readonly #watcher: WireWatcher;
  /** Called when the head is there, or will not come. */
  readonly #headed: (sending: this) => void;
  #lane: Lane | undefined;
  #unpacking: Unpacking | undefined;
  #isPaused = false;
  #waitedMs = 0;
  #lookedAt = performance.now();

  constructor(request: WireRequest, watcher: WireWatcher, headed: (sending: Sending) => void) {
    this.#request = request;
    this.#watcher = watcher;
    this.#headed = headed;
  }

  sendOn(lane: Lane, target: string, headers: readonly string[]): void {
    const { method, body = null } = this.#request;
    this.#lane = lane;
    lane.send({ method, target, headers, body }, this);
    if (this.#isPaused) lane.pause(this);
  }

  /** Counts the time that this process ran; not that of a machine that was asleep. */
  look(now: number, atMost: number): void {
    this.#waitedMs += Math.min(now - this.#lookedAt, 2 * atMost);
    this.#lookedAt = now;
    const { headersMs, url } = this.#request;
    if (this.#waitedMs < headersMs) return;
    const what =
      this.#lane === undefined ? 'answering the requests before' : 'sending the headers of its answer';
    this.failed(timedOut(new URL(url).host, what, headersMs), false);
  }

  pause(): void {
    this.#isPaused = true;
    if (this.#unpacking === undefined) this.#lane?.pause(this);
    else this.#unpacking.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#unpacking?.resume();
    this.#lane?.resume(this);
  }

  abort(): void {
    if (!this.isOver) this.#finish();
  }

  head({ status, lines }: AnswerHead): void {
    if (this.isOver) return;
    this.#headed(this);
    const header = (name: string): readonly string[] => valuesOf(lines, name);
    const coding = codingOf(header('content-encoding'));
    if (coding === 'unknown') {
      this.#fail('unwanted_coding');
      return;
    }
    if (coding !== undefined) this.#unpacking = this.#unpack(coding);
    if (mediaTypeIs(header('content-type')[0], 'text/event-stream')) this.#lane?.stands(this);
    this.#watcher.head(status, header);
  }

  data(chunk: Uint8Array): boolean {
    if (this.isOver) return true;
    // What is unpacked is kept meanwhile, and the connection reads into the same memory again.
    if (this.#unpacking !== undefined) return this.#unpacking.push(Buffer.from(chunk));
    this.#watcher.data(chunk);
    return !this.#isPaused;
  }

  end(): void {
    if (this.isOver) return;
    if (this.#unpacking === undefined) this.#end();
    else this.#unpacking.end();
  }

  failed(error: unknown, unanswered: boolean): void {
    if (this.isOver) return;
    this.#finish();
    this.#watcher.failed(error, unanswered);
  }

  #unpack(coding: ConstructorParameters<typeof Unpacking>[0]): Unpacking {
    return new Unpacking(coding, {
      data: (chunk) => {
        if (!this.isOver) this.#watcher.data(chunk);
      },
      end: () => this.#end(),
      damaged: () => this.#fail('damaged_coding'),
      drained: () => this.#lane?.resume(this),
    });
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
    this.#unpacking?.stop();
    this.#lane?.cut(this);
  }
}

/** The values of one header, whose name is given in lower case. */
function valuesOf(lines: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const key = lines[at] ?? '';
    if (key.length === name.length && key.toLowerCase() === name) values.push(lines[at + 1] ?? '');
  }
  return values;
}

/** A request that is told by calls as its answer comes, for what has to be quick and pass bytes through. */
export interface WireRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Named by the person, or an address on the same origin. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  /** Whether the answer may be a stream without an end: those have connections of their own. */
  readonly lasting: boolean;
  /** How long the head of the answer may take, in milliseconds. */
  readonly headersMs: number;
}

/** Takes what comes; never called before `send` has returned, and not after `end` or `failed`. */
export interface WireWatcher {
  /** @param header The values of a header, whose name is given in lower case */
  head(status: number, header: (name: string) => readonly string[]): void;
  /** @param chunk Its memory is used again once this has returned. */
  data(chunk: Uint8Array): void;
  end(): void;
  /** @param unanswered A connection that was kept alive was closed before a byte of an answer came. */
  failed(error: unknown, unanswered: boolean): void;
}

export interface WireExchange {
  pause(): void;
  resume(): void;
  /** Ends it: nothing is told of it any more. */
  abort(): void;
}

/** The outbound door once more, with the same checks: for many small requests, of whose answers nothing is waited for. */
export interface Wire extends AsyncDisposable {
  send(request: WireRequest, watcher: WireWatcher): WireExchange;
}
