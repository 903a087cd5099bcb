import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { ClosedEnd } from './body.js';
import { brokenConnection, endedEarly, networkFailed } from './network-failures.js';
import type { Origin } from './origin.js';
import type { Header } from './request.js';

/** Bytes kept for a slow reader; beyond them the connection is not read. */
const maxWaiting = 64 * 1024;

const maxInformational = 10;

const noop = (): void => undefined;

export interface Head {
  readonly status: number;
  readonly headers: readonly Header[];
}

/** One request on one connection, as undici reports it, turned into a head to wait for and a body to read. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly head: Promise<Head>;
  /** Resolves when nothing more will come, whatever the reason. */
  readonly end: Promise<void>;
  readonly #origin: Origin;
  readonly #method: string;
  readonly #body: Readable;
  #resolveHead: (head: Head) => void = noop;
  #rejectHead: (error: unknown) => void = noop;
  #ended: (complete: boolean) => void = noop;
  #controller: Dispatcher.DispatchController | undefined;
  #informational = 0;
  #began = false;
  #isOver = false;
  /** Why the response ended before it was complete. */
  #error: { readonly cause: unknown } | undefined;
  /** Set where the end of the connection ends the body and has to be proven. */
  #closedEnd: ClosedEnd | undefined;

  /** @param onEnd Called once, when the response is complete (`true`) or will never be (`false`) */
  constructor(origin: Origin, method: string, onEnd: (complete: boolean) => void) {
    this.#origin = origin;
    this.#method = method;
    this.#body = new Readable({ highWaterMark: maxWaiting, read: () => this.#controller?.resume() });
    this.#body.on('error', noop);
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve;
      this.#rejectHead = reject;
    });
    this.head.catch(noop);
    this.end = new Promise((resolve) => {
      this.#ended = (complete) => {
        onEnd(complete);
        resolve();
      };
    });
  }

  /** The body as it comes. What came before a failure of the network is read before that is thrown. */
  async *body(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#body) yield chunk;
    if (this.#error !== undefined) throw this.#error.cause;
  }

  /** Whether the connection ended before any byte of a response came. */
  get endedUnanswered(): boolean {
    const isUntouched = !this.#began && this.#informational === 0;
    return isUntouched && endedEarly(this.#error?.cause);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart({ rawHeaders }: Dispatcher.DispatchController, status: number): void {
    if (this.#isOver) return;
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > maxInformational) this.#break('informational_flood');
      return;
    }
    this.#began = true;
    const headers = readHeaders(rawHeaders);
    if (this.#origin.secure && this.#method !== 'HEAD' && !isFramed(headers)) {
      this.#closedEnd = new ClosedEnd(status, headers.find(([name]) => name === 'content-type')?.[1]);
    }
    this.#resolveHead({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#closedEnd?.push(chunk);
    if (!this.#body.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#closedEnd?.isProven === false) this.#break('end_unproven');
    else this.#end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end({ cause: brokenConnection(error, this.#origin) });
  }

  /** Ends the exchange now; what was received and not read is dropped. */
  fail(cause: unknown): void {
    if (this.#isOver) return;
    this.#end({ cause });
    this.#body.destroy(cause as Error); // the reason of a signal may be anything
  }

  #break(code: string): void {
    const { host, port } = this.#origin;
    this.#end({ cause: networkFailed({ host, port, code }) });
  }

  #end(error?: { readonly cause: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    if (error !== undefined) this.#rejectHead(error.cause);
    this.#body.push(null);
    this.#ended(error === undefined);
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
