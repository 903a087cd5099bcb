import type { Dispatcher } from 'undici';
import { ByteCollector } from '../core/text/bytes.js';
import { ClosedEnd } from './body.js';
import { networkFailed } from './failures.js';
import { brokenConnection, isBrokenOff } from './network-cause.js';
import type { Origin } from './origin.js';
import type { Header } from './request.js';

/** Bytes kept for a slow reader; beyond them the connection is not read. */
const maxWaiting = 64 * 1024;

const maxInformational = 10;

/** A piece of this length is handed on in the memory it came in; shorter ones could keep alive much more than their size. In bytes. */
const longPiece = 16 * 1024;

/** Shorter pieces cost more to take than their bytes do; a million of them are enough. In bytes. */
const costOfPiece = 32;

const maxCost = 32 * 1024 * 1024;

const noop = (): void => undefined;

export interface Head {
  readonly status: number;
  readonly headers: readonly Header[];
}

/**
 * One request on one connection, as undici reports it, turned into a head to wait for and chunks to
 * pull. `onEnd` is called once, when the response is complete (`true`) or will never be (`false`).
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly head: Promise<Head>;
  /** Resolves when nothing more will come, whatever the reason. */
  readonly end: Promise<void>;
  readonly #origin: Origin;
  readonly #method: string;
  #resolveHead: (head: Head) => void = noop;
  #rejectHead: (error: unknown) => void = noop;
  #ended: (complete: boolean) => void = noop;
  #controller: Dispatcher.DispatchController | undefined;
  /** What has come and was not read yet: one long piece, or others however short they are. */
  #long: Uint8Array | undefined;
  readonly #received = new ByteCollector();
  /** What the response has cost beyond its bytes, each piece counted, in bytes. */
  #cost = 0;
  #informational = 0;
  #began = false;
  #state: 'open' | 'complete' | 'failed' = 'open';
  #error: unknown;
  /** Set where the end of the connection ends the body and has to be proven. */
  #closedEnd: ClosedEnd | undefined;
  #brokenOff = false;
  #wake = noop;

  constructor(origin: Origin, method: string, onEnd: (complete: boolean) => void) {
    this.#origin = origin;
    this.#method = method;
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve;
      this.#rejectHead = reject;
    });
    this.head.catch(noop);
    this.end = new Promise((resolve) => {
      this.#ended = (complete) => {
        onEnd(complete);
        resolve();
        this.#awake();
      };
    });
  }

  /** Whether the connection ended before any byte of a response came. */
  get endedUnanswered(): boolean {
    return this.#brokenOff && !this.#began && this.#informational === 0;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.#state !== 'open') return;
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > maxInformational) this.fail(this.#failure('informational_flood'));
      return;
    }
    this.#began = true;
    const headers = readHeaders(controller.rawHeaders);
    if (this.#origin.secure && this.#method !== 'HEAD' && !isFramed(headers)) {
      this.#closedEnd = new ClosedEnd(status, headers.find(([name]) => name === 'content-type')?.[1]);
    }
    this.#resolveHead({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#state !== 'open') return;
    this.#closedEnd?.push(chunk);
    this.#receive(chunk);
    this.#cost = Math.max(0, this.#cost + costOfPiece - chunk.byteLength);
    if (this.#cost > maxCost) this.fail(this.#failure('crumbs'));
    else if (this.#waiting >= maxWaiting) controller.pause();
    this.#awake();
  }

  onResponseEnd(): void {
    if (this.#state !== 'open') return;
    if (this.#closedEnd?.isProven === false) {
      this.#finish(this.#failure('end_unproven'));
    } else {
      this.#state = 'complete';
      this.#ended(true);
    }
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#brokenOff = isBrokenOff(error);
    this.#finish(brokenConnection(error, this.#origin));
  }

  /** Ends the exchange now; what was received and not read is dropped. */
  fail(error: unknown): void {
    if (this.#state === 'open') this.#take();
    this.#finish(error);
  }

  /**
   * What has come since the last time, undefined at the end. What came before a failure of the network is given
   * before it is thrown.
   */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#waiting === 0 && this.#state === 'open') {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#waiting > 0) {
      const chunk = this.#take();
      if (this.#state === 'open') this.#controller?.resume();
      return chunk;
    }
    if (this.#state === 'failed') throw this.#error;
    return undefined;
  }

  get #waiting(): number {
    return this.#received.size + (this.#long?.byteLength ?? 0);
  }

  #receive(chunk: Uint8Array): void {
    if (this.#waiting === 0 && chunk.byteLength >= longPiece) {
      this.#long = chunk;
      return;
    }
    if (this.#long !== undefined) this.#received.push(this.#long);
    this.#long = undefined;
    this.#received.push(chunk);
  }

  #take(): Uint8Array {
    const chunk = this.#long ?? this.#received.take();
    this.#long = undefined;
    this.#received.clear();
    return chunk;
  }

  /** Once for each that waits: to resolve a promise again costs more than to read a short piece. */
  #awake(): void {
    const wake = this.#wake;
    this.#wake = noop;
    wake();
  }

  #failure(code: string): Error {
    const { host, port } = this.#origin;
    return networkFailed({ host, port, code });
  }

  #finish(error: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = 'failed';
    this.#error = error;
    this.#rejectHead(error);
    this.#ended(false);
  }
}

/** Whether the body ends by something else than the end of the connection (RFC 9112 section 6.3). */
function isFramed(headers: Head['headers']): boolean {
  return headers.some(
    ([name, value]) =>
      name === 'content-length' || (name === 'transfer-encoding' && /(?:^|[\s,])chunked\s*$/i.test(value)),
  );
}

function readHeaders(raw: unknown): Head['headers'] {
  const parts = Array.isArray(raw) ? raw.map((part) => Buffer.from(part).toString('latin1')) : [];
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    headers.push([(parts[index] ?? '').toLowerCase(), parts[index + 1] ?? '']);
  }
  return headers;
}
