import { ByteCollector } from '../core/text/bytes.js';
import { mediaTypeIs } from '../core/text/characters.js';
import { EventByteReader, type EventBytes } from '../core/text/event-stream.js';
import { httpFailed, protocolBroken } from '../mcp/failures.js';
import type { Active } from '../relay/active-set.js';
import type { HostPipe } from './host-pipe.js';
import type { Wire, WireExchange, WireRequest, WireWatcher } from './wire.js';

/** What holds less does not count: most answers are small, and there are not so many of them at a time. In bytes. */
const little = 4_096;

/**
 * Bounds what all answers under way hold together. Beyond it only the one that has held the longest is read on; the
 * others wait until it has ended, so that there always is one that gets on.
 */
export class MemoryBudget {
  readonly #most: number;
  readonly #held = new Map<WireExchange, number>();
  readonly #paused = new Set<WireExchange>();
  #total = 0;

  /** @param most Bytes that may be held together. */
  constructor(most: number) {
    this.#most = most;
  }

  /** From now on this one holds so many bytes. */
  hold(exchange: WireExchange, bytes: number): void {
    const before = this.#held.get(exchange) ?? 0;
    if (bytes === before || (bytes < little && before === 0)) return;
    if (bytes === 0) {
      this.release(exchange);
      return;
    }
    this.#held.set(exchange, bytes);
    this.#total += bytes - before;
    if (this.#total <= this.#most) {
      this.#goOn();
      return;
    }
    const [first] = this.#held.keys();
    if (exchange !== first) {
      this.#paused.add(exchange);
      exchange.pause();
    }
  }

  release(exchange: WireExchange): void {
    const held = this.#held.get(exchange);
    if (held === undefined) return;
    this.#total -= held;
    this.#held.delete(exchange);
    this.#paused.delete(exchange);
    this.#goOn();
  }

  #goOn(): void {
    if (this.#paused.size === 0) return;
    const waiting = this.#total <= this.#most ? [...this.#paused] : [...this.#held.keys()].slice(0, 1);
    for (const one of waiting) {
      if (this.#paused.delete(one)) one.resume();
    }
  }
}

/** Most bytes that are read of an answer that is no success. */
const largestRefusal = 256 * 1024;

/** How one HTTP exchange ended. */
export type Outcome =
  | { readonly kind: 'json'; readonly body: Uint8Array }
  /** A stream that ended, or broke off (`error`). */
  | { readonly kind: 'stream'; readonly error: unknown }
  /** A success without content. */
  | { readonly kind: 'empty' }
  /** No success: the status, `WWW-Authenticate`, and what it said. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly challenges: readonly string[];
      readonly location: string | undefined;
      readonly body: Uint8Array;
    }
  | { readonly kind: 'failed'; readonly error: unknown; readonly unanswered: boolean };

export interface ExchangeParts {
  readonly wire: Wire;
  readonly host: HostPipe;
  readonly budget: MemoryBudget;
  readonly request: WireRequest;
  /** Most bytes of one message. A stream may have twice as many in a row that bring the host nothing. */
  readonly largestMessageBytes: number;
  /** Told of a success, before anything of its body. Throws to end the exchange. */
  readonly succeeded: ((header: (name: string) => string | undefined) => void) | undefined;
  /** Takes each event of a stream as it comes. False where it brought the host nothing. */
  readonly event: (event: EventBytes) => boolean;
  /** Called once, when it is over. */
  readonly over: (exchange: RunningExchange) => void;
}

/** An exchange under way. */
export interface RunningExchange extends Active {
  readonly outcome: Promise<Outcome>;
  /** Ends it; the outcome is `failed` then. */
  abort(reason: unknown): void;
}

/** Sends one request, and reads its answer no faster than the host takes what comes of it. */
export function exchange(parts: ExchangeParts): RunningExchange {
  return new Reader(parts);
}

class Reader implements RunningExchange, WireWatcher {
  activeAt = -1;
  readonly outcome: Promise<Outcome>;
  readonly #parts: ExchangeParts;
  readonly #exchange: WireExchange;
  #resolve: (outcome: Outcome) => void = () => undefined;
  #mode: 'json' | 'stream' | 'refused' | 'empty' = 'empty';
  #status = 0;
  #refusal: { readonly challenges: readonly string[]; readonly location: string | undefined } = {
    challenges: [],
    location: undefined,
  };
  #events: EventByteReader | undefined;
  readonly #body = new ByteCollector();
  /** Bytes of a stream since its last message for the host. */
  #vain = 0;
  #over = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#exchange = parts.wire.send(parts.request, this);
  }

  abort(reason: unknown): void {
    this.#end({ kind: 'failed', error: reason, unanswered: false });
  }

  head(status: number, header: (name: string) => readonly string[]): void {
    try {
      this.#head(status, header);
    } catch (error) {
      this.abort(error);
    }
  }

  data(chunk: Uint8Array): void {
    try {
      this.#data(chunk);
    } catch (error) {
      this.abort(error);
    }
  }

  end(): void {
    this.#finish(undefined);
  }

  failed(error: unknown, unanswered: boolean): void {
    if (this.#mode === 'stream') this.#finish(error);
    else this.#end({ kind: 'failed', error, unanswered });
  }

  #end(outcome: Outcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#parts.budget.release(this.#exchange);
    this.#exchange.abort();
    this.#parts.over(this);
    this.#resolve(outcome);
  }

  #head(status: number, header: (name: string) => readonly string[]): void {
    this.#status = status;
    if (status < 200 || status > 299) {
      this.#mode = 'refused';
      this.#refusal = { challenges: header('www-authenticate'), location: header('location')[0] };
      return;
    }
    this.#parts.succeeded?.((name) => header(name)[0]);
    const [type] = header('content-type');
    if (mediaTypeIs(type, 'text/event-stream')) this.#mode = 'stream';
    else if (mediaTypeIs(type, 'application/json') && status !== 202) this.#mode = 'json';
  }

  #data(chunk: Uint8Array): void {
    if (this.#over || this.#mode === 'empty') return;
    if (this.#mode === 'stream') {
      this.#streamed(chunk);
      return;
    }
    const { largestMessageBytes, request, budget } = this.#parts;
    const size = this.#body.size + chunk.byteLength;
    if (this.#mode === 'refused' && size > largestRefusal) throw httpFailed(request.url, this.#status);
    if (size > largestMessageBytes) throw this.#tooLarge();
    this.#body.push(chunk);
    budget.hold(this.#exchange, this.#body.held);
  }

  #streamed(chunk: Uint8Array): void {
    const { event, host, budget, largestMessageBytes, request } = this.#parts;
    this.#events ??= new EventByteReader(largestMessageBytes);
    this.#vain += chunk.byteLength;
    // A copy: the messages in it wait for the host in its memory.
    const events = this.#events.push(Buffer.from(chunk));
    if (events === undefined) throw this.#tooLarge();
    for (const one of events) {
      if (!this.#over && event(one)) this.#vain = 0;
    }
    if (this.#over) return;
    if (this.#vain > 2 * largestMessageBytes) {
      throw protocolBroken(request.url, 'its event stream goes on and on and brings no message');
    }
    budget.hold(this.#exchange, this.#events.held);
    if (host.isFull) {
      this.#exchange.pause();
      host.whenDrained(() => this.#exchange.resume());
    }
  }

  #finish(error: unknown): void {
    const ending = this.#ending(error);
    // A message that the host has no room for stays here, where it is counted.
    if (ending.kind === 'json' && this.#parts.host.isFull) this.#parts.host.whenDrained(() => this.#end(ending));
    else this.#end(ending);
  }

  #ending(error: unknown): Outcome {
    const body = () => this.#body.take();
    switch (this.#mode) {
      case 'json':
        return { kind: 'json', body: body() };
      case 'stream':
        return { kind: 'stream', error };
      case 'refused':
        return { kind: 'refused', status: this.#status, ...this.#refusal, body: body() };
      case 'empty':
        return { kind: 'empty' };
    }
  }

  #tooLarge(): Error {
    const { request, largestMessageBytes } = this.#parts;
    return protocolBroken(request.url, `a message is larger than ${largestMessageBytes / 1024 / 1024} MiB`);
  }
}
