import { networkFailed } from '../../errors/network.js';
import type { WireWatcher } from '../../ports/bridging.js';
import { failureOf, isBrokenOff } from './network-cause.js';

const mostInformational = 10;

export interface WireHandlerOptions {
  readonly party: { readonly host: string; readonly port: number };
  readonly watcher: WireWatcher;
  /** Whether an earlier request already went through this connection. */
  readonly reused: boolean;
  /** Called once, when the connection is free: whether it can carry the next request. */
  readonly released: (complete: boolean) => void;
}

/** One request as undici's connection class reports it in its own, shortest form, handed on as it comes. */
export class WireHandler {
  readonly #options: WireHandlerOptions;
  #abort: (reason?: Error) => void = () => undefined;
  #resume: () => void = () => undefined;
  #paused = false;
  #informational = 0;
  #began = false;
  #ended = false;

  constructor(options: WireHandlerOptions) {
    this.#options = options;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    // Not at once: this may be called while another connection's bytes are parsed, and undici has one parser for all.
    queueMicrotask(() => {
      if (!this.#paused && !this.#ended) this.#resume();
    });
  }

  /** Ends the request, and its connection with it. */
  abort(): void {
    if (this.#release(false)) this.#abort(new Error('The rest of the answer is not wanted.'));
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    if (this.#ended) abort(new Error('The answer is not wanted.'));
  }

  onHeaders(status: number, raw: readonly Uint8Array[], resume: () => void): boolean {
    this.#resume = resume;
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > mostInformational) {
        this.#fail(networkFailed({ ...this.#options.party, code: 'informational_flood' }), false);
      }
      return true;
    }
    this.#began = true;
    this.#options.watcher.head(status, (name) => valuesOf(raw, name));
    return !this.#paused;
  }

  onData(chunk: Uint8Array): boolean {
    this.#options.watcher.data(chunk);
    return !this.#paused;
  }

  onComplete(): void {
    if (this.#release(true)) this.#options.watcher.end();
  }

  onError(error: Error): void {
    const unanswered =
      this.#options.reused && isBrokenOff(error) && !this.#began && this.#informational === 0;
    this.#fail(failureOf(error, this.#options.party), unanswered);
  }

  #fail(error: unknown, unanswered: boolean): void {
    if (this.#release(false)) this.#options.watcher.failed(error, unanswered);
  }

  #release(complete: boolean): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#options.released(complete);
    return true;
  }
}

/** The values of one header; what is not asked for is not decoded. */
function valuesOf(raw: readonly Uint8Array[], name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const key = raw[index];
    if (key?.length === name.length && latin1(key).toLowerCase() === name)
      values.push(latin1(raw[index + 1]));
  }
  return values;
}

function latin1(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('latin1');
}
