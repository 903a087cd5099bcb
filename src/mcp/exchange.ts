import { ByteCollector } from '../core/text/bytes.js';
import { mediaTypeIs } from '../core/text/characters.js';
import { EventByteReader, type EventBytes } from '../core/text/event-stream.js';
import { protocolBroken } from './failures.js';
import type { MessageHost } from './inbound.js';
import type { MemoryBudget } from './memory-budget.js';
import type { Wire, WireExchange, WireRequest, WireWatcher } from './wire.js';

/** Most bytes that are read of a response that is no success, and how long it may take after its head, in milliseconds. */
const maxRefusalBytes = 256 * 1024;

const refusalMs = 2_000;

/** How one HTTP exchange ended. */
export type Outcome =
  | { readonly kind: 'json'; readonly body: Uint8Array }
  /** A stream that ended, or broke off (`error`). */
  | { readonly kind: 'stream'; readonly error: unknown }
  /** A success that is neither JSON nor an event stream. */
  | { readonly kind: 'empty'; readonly status: number }
  | Refusal
  | { readonly kind: 'failed'; readonly error: unknown; readonly unanswered: boolean };

/** No success: the status, `WWW-Authenticate`, and what it said. */
export interface Refusal {
  readonly kind: 'refused';
  readonly status: number;
  readonly challenges: readonly string[];
  /** The first value of a header, whose name is given in lower case. */
  readonly header?: (name: string) => string | undefined;
  readonly location: string | undefined;
  readonly body: Uint8Array;
}

/** Counts what is received; throws to end the exchange. */
export interface Meter {
  bytes(count: number): void;
  pieces(lines: number, events: number): void;
}

export interface ExchangeParts {
  readonly wire: Wire;
  readonly host: MessageHost;
  readonly budget: MemoryBudget;
  readonly request: WireRequest;
  /** Most bytes of one message. Unmetered, a stream may have twice as many in a row that bring the host nothing. */
  readonly maxMessageBytes: number;
  readonly meter: Meter | undefined;
  /** Told of each response, before anything of its body. Throws to end the exchange. */
  readonly headed: (isSuccess: boolean, header: (name: string) => readonly string[]) => void;
  /** Takes each event of a stream as it comes. False where it brought the host nothing. */
  readonly event: (event: EventBytes) => boolean;
}

/** One HTTP request and its response, which is read no faster than the host takes the messages. */
export class Exchange implements WireWatcher {
  readonly outcome: Promise<Outcome>;
  readonly #parts: ExchangeParts;
  readonly #exchange: WireExchange;
  #resolve: (outcome: Outcome) => void = () => undefined;
  #mode: 'json' | 'stream' | 'refused' | 'empty' = 'empty';
  #status = 0;
  #refusal: Pick<Refusal, 'challenges' | 'location' | 'header'> = { challenges: [], location: undefined };
  #patience: NodeJS.Timeout | undefined;
  #events: EventByteReader | undefined;
  readonly #body: ByteCollector;
  /** Bytes of a stream since its last message for the host. */
  #vain = 0;
  #over = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#body = new ByteCollector(parts.host.keepsTexts ? 0 : parts.maxMessageBytes);
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#exchange = parts.wire.send(parts.request, this);
  }

  get isRefused(): boolean {
    return this.#mode === 'refused';
  }

  /** Ends it; the outcome is `failed` then. */
  abort(reason: unknown): void {
    this.#end({ kind: 'failed', error: reason, unanswered: false });
  }

  head(status: number, header: (name: string) => readonly string[]): void {
    this.#status = status;
    const isSuccess = status >= 200 && status <= 299;
    try {
      this.#parts.headed(isSuccess, header);
    } catch (error) {
      this.abort(error);
    }
    if (!isSuccess) {
      this.#mode = 'refused';
      const first = (name: string) => header(name)[0];
      this.#refusal = { challenges: header('www-authenticate'), location: first('location'), header: first };
      this.#patience = setTimeout(() => this.end(), refusalMs);
      return;
    }
    const [type] = header('content-type');
    if (mediaTypeIs(type, 'text/event-stream')) this.#mode = 'stream';
    else if (mediaTypeIs(type, 'application/json') && status !== 202) this.#mode = 'json';
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
    if (this.#mode === 'stream' || this.#mode === 'refused') this.#finish(error);
    else this.#end({ kind: 'failed', error, unanswered });
  }

  #end(outcome: Outcome): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#patience);
    this.#parts.budget.release(this.#exchange);
    this.#exchange.abort();
    this.#resolve(outcome);
  }

  #data(chunk: Uint8Array): void {
    if (this.#over || this.#mode === 'empty') return;
    const { maxMessageBytes, meter, budget } = this.#parts;
    meter?.bytes(chunk.byteLength);
    if (this.#mode === 'stream') {
      this.#streamed(chunk);
      return;
    }
    const size = this.#body.size + chunk.byteLength;
    if (this.#mode === 'refused' && size > maxRefusalBytes) {
      this.end();
      return;
    }
    if (size > maxMessageBytes) throw this.#tooLarge();
    this.#body.push(chunk);
    budget.hold(this.#exchange, this.#body.size);
  }

  #streamed(chunk: Uint8Array): void {
    const { event, host, budget, meter, maxMessageBytes, request } = this.#parts;
    this.#events ??= new EventByteReader(maxMessageBytes, host.keepsTexts ? 0 : maxMessageBytes);
    const linesBefore = this.#events.lines;
    const events = this.#events.push(chunk);
    if (events === undefined) throw this.#tooLarge();
    meter?.pieces(this.#events.lines - linesBefore, events.length);
    this.#vain += chunk.byteLength;
    for (const one of events) {
      if (!this.#over && event(one)) this.#vain = 0;
    }
    if (this.#over) return;
    if (meter === undefined && this.#vain > 2 * maxMessageBytes) {
      throw protocolBroken(request.url, 'its event stream goes on and on and brings no message');
    }
    budget.hold(this.#exchange, this.#events.held);
    if (host.isFull) {
      this.#exchange.pause();
      host.whenDrained(() => this.#exchange.resume());
    }
  }

  #finish(error: unknown): void {
    const outcome = this.#outcome(error);
    // A message stays counted here until the host has room.
    if (outcome.kind === 'json' && this.#parts.host.isFull) this.#parts.host.whenDrained(() => this.#end(outcome));
    else this.#end(outcome);
  }

  #outcome(error: unknown): Outcome {
    switch (this.#mode) {
      case 'json':
        return { kind: 'json', body: this.#body.take() };
      case 'stream':
        return { kind: 'stream', error };
      case 'refused':
        return { kind: 'refused', status: this.#status, ...this.#refusal, body: this.#body.take() };
      case 'empty':
        return { kind: 'empty', status: this.#status };
    }
  }

  #tooLarge(): Error {
    const { request, maxMessageBytes } = this.#parts;
    return protocolBroken(request.url, `a message is larger than ${maxMessageBytes / 1024 / 1024} MiB`);
  }
}
