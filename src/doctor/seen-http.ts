import type { Failure } from '../core/failure.js';
import { isFailure } from '../core/failure.js';
import type { Clock } from '../core/ports.js';
import type { Zone } from '../core/records.js';
import { ByteCollector } from '../core/text/bytes.js';
import { mediaTypeIs } from '../core/text/characters.js';
import { type JsonObject, parseObject } from '../core/text/json.js';
import { within } from '../core/time.js';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/request.js';

/** One request of this run, and what came: a response or a failure. */
export interface SeenExchange {
  readonly method: string;
  readonly url: string;
  /** Milliseconds until the head of the response, or the failure. */
  readonly ms: number;
  /** Milliseconds since 1970, at that time. */
  readonly at: number;
  readonly response?: SeenResponse;
  readonly failure?: Failure;
}

export interface SeenResponse {
  readonly status: number;
  /** The address that responded, after redirects. */
  readonly url: string;
  readonly headers: HttpResponse['headers'];
  readonly zone: Zone;
  /** What was read of the body. */
  readonly bytes: Uint8Array;
  /** Why the body could not be read whole. */
  readonly broken: Failure | undefined;
}

/** The values of a header, whose name is given in lower case. */
export function headerValues({ headers }: Pick<SeenResponse, 'headers'>, name: string): readonly string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}

/** Most that is read of a body that no metadata is in, in bytes, and how long is waited for it, in milliseconds. */
const maxPage = 16 * 1024;

const pageMs = 2_000;

/**
 * The HTTP client, remembering what came: each check looks at the same responses as the engine of the login, and a document
 * is asked for once in a run.
 */
export class SeenHttp implements HttpClient {
  readonly #http: HttpClient;
  readonly #clock: Clock;
  readonly exchanges: SeenExchange[] = [];
  readonly #documents = new Map<string, Promise<SeenExchange>>();

  constructor(http: HttpClient, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  /** @throws as the HTTP client does */
  async send(request: HttpRequest): Promise<HttpResponse> {
    const seen = await this.see(request);
    if (seen.response === undefined) throw seen.failure;
    return replay(seen.response);
  }

  /** The same, as what was seen: a failure is no exception. */
  see(request: HttpRequest): Promise<SeenExchange> {
    if (request.method !== 'GET') return this.#exchange(request);
    // A gateway may refuse it without what its server wants, and give it with that.
    const key = [request.url, ...(request.headers ?? []).map(([name]) => name)].join(' ');
    const known = this.#documents.get(key) ?? this.#exchange(request);
    this.#documents.set(key, known);
    return known;
  }

  /** The JSON object that came from there; undefined: none did. */
  documentAt(url: string): JsonObject | undefined {
    const seen = this.exchanges.findLast((one) => one.method === 'GET' && one.url === url);
    return seen?.response?.status === 200 ? parseObject(seen.response.bytes.slice()) : undefined;
  }

  check(target: Pick<HttpRequest, 'url' | 'namedBy' | 'signal'>): Promise<void> {
    return this.#http.check(target);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The HTTP client is not ours.
  }

  async #exchange(request: HttpRequest): Promise<SeenExchange> {
    const { method, url } = request;
    const began = this.#clock.monotonic();
    const now = () => ({ method, url, ms: Math.round(this.#clock.monotonic() - began), at: this.#clock.now() });
    let seen: SeenExchange;
    try {
      await using response = await this.#http.send(request);
      const { status, headers, zone, url: responded } = response;
      const head = { ...now(), response: { status, headers, zone, url: responded } };
      seen = { ...head, response: { ...head.response, ...(await this.#read(request, response)) } };
    } catch (error) {
      if (!isFailure(error) || request.signal.aborted) throw error;
      seen = { ...now(), failure: error };
    }
    this.exchanges.push(seen);
    return seen;
  }

  /** Metadata whole; of anything else as much as says what it is. */
  async #read({ method }: HttpRequest, response: HttpResponse): Promise<Pick<SeenResponse, 'bytes' | 'broken'>> {
    const nothing = new Uint8Array();
    if (headerValues(response, 'content-type').some((type) => mediaTypeIs(type, 'text/event-stream'))) {
      return { bytes: nothing, broken: undefined };
    }
    try {
      const whole = method === 'GET' ? response.bytes() : firstBytes(this.#clock, response);
      return { bytes: await whole, broken: undefined };
    } catch (error) {
      if (!isFailure(error)) throw error;
      return { bytes: nothing, broken: error };
    }
  }
}

/** What has come of a body by then. */
async function firstBytes(clock: Clock, response: HttpResponse): Promise<Uint8Array> {
  const collected = new ByteCollector();
  const read = async () => {
    for await (const piece of response.body) {
      collected.push(piece.subarray(0, maxPage - collected.size));
      if (collected.size === maxPage) return;
    }
  };
  await within(clock, pageMs, read());
  return collected.take();
}

function replay({ status, url, headers, zone, bytes, broken }: SeenResponse): HttpResponse {
  const whole = async () => {
    if (broken !== undefined) throw broken;
    return bytes;
  };
  return {
    ...{ status, url, headers, zone },
    bytes: whole,
    body: (async function* () {
      yield await whole();
    })(),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
