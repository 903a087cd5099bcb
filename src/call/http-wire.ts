import { endedEarly } from '../http/network-failures.js';
import type { HttpClient } from '../http/request.js';
import type { Wire, WireExchange, WireRequest, WireWatcher } from '../mcp/wire.js';

/** A wire over the HTTP client, for a command that sends a few requests. */
export class HttpWire implements Wire {
  readonly isBrief = true;
  readonly #http: HttpClient;
  readonly #underWay = new Set<Sending>();

  constructor(http: HttpClient) {
    this.#http = http;
  }

  send(request: WireRequest, watcher: WireWatcher): WireExchange {
    const sending = new Sending(watcher, () => this.#underWay.delete(sending));
    this.#underWay.add(sending);
    void sending.run(this.#http, request);
    return sending;
  }

  cut(reason: unknown): void {
    for (const sending of [...this.#underWay]) sending.fail(reason);
  }
}

class Sending implements WireExchange {
  readonly #watcher: WireWatcher;
  readonly #over: () => void;
  readonly #ending = new AbortController();
  #began = false;
  #paused: Promise<void> | undefined;
  #resume: () => void = () => undefined;

  constructor(watcher: WireWatcher, over: () => void) {
    this.#watcher = watcher;
    this.#over = over;
  }

  async run(http: HttpClient, { headersMs, lasting: _any, body, ...request }: WireRequest): Promise<void> {
    const { signal } = this.#ending;
    const limits = { totalMs: null, headersMs, maxBytes: null };
    const checks = { namedBy: 'person', redirects: 'report', limits, signal } as const;
    try {
      await using response = await http.send({ ...request, ...checks, ...(body && { body }) });
      const { headers } = response;
      if (signal.aborted) return;
      this.#began = true;
      this.#watcher.head(response.status, (name) => headers.flatMap(([key, value]) => (key === name ? [value] : [])));
      for await (const chunk of response.body) {
        if (signal.aborted) return;
        this.#watcher.data(chunk);
        if (this.#paused !== undefined) await this.#paused;
      }
      if (signal.aborted) return;
      this.abort();
      this.#watcher.end();
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    if (this.#ending.signal.aborted) return;
    this.abort();
    this.#watcher.failed(error, !this.#began && endedEarly(error));
  }

  pause(): void {
    this.#paused ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#paused = undefined;
    this.#resume();
  }

  abort(): void {
    this.#over();
    this.#ending.abort();
    this.resume();
  }
}
