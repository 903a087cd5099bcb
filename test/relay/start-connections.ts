import { openRelayOrigins } from '../../src/app/relay-origins.js';
import type { HttpOptions } from '../../src/http/origins.js';
import type { Connection, ResponseHandler } from '../../src/relay/connection.js';
import type { ResponseHead } from '../../src/relay/heads.js';
import type { BodySink, BodySource, OutgoingRequest } from '../../src/relay/request-writer.js';

/** Connections to one server, each lent as those who pass messages on borrow it. */
export interface Connections extends AsyncDisposable {
  borrow(): Promise<Connection>;
}

export function startConnections(origin: string, options: Partial<HttpOptions> = {}): Connections {
  const http = { env: {}, userAgent: 'postern-test', ...options };
  const origins = openRelayOrigins(http, { bounded: 0, stream: 64, streaming: 8 });
  const { signal } = new AbortController();
  return {
    borrow: async () => (await origins.find(new URL(origin), 'person', signal)).borrow('stream', signal),
    [Symbol.asyncDispose]: () => origins[Symbol.asyncDispose](),
  };
}

/** How a request ended, and what came before. */
export interface Told {
  readonly head: ResponseHead | undefined;
  readonly body: string;
  readonly end: 'end' | 'failed';
  readonly error: unknown;
  readonly unanswered: boolean;
}

/** Takes an answer whole; `no` says after which pieces nothing more is wanted for now. */
export class Collector implements ResponseHandler {
  readonly told: Promise<Told>;
  headed: ResponseHead | undefined;
  bytes = 0;
  readonly #no: (chunk: Uint8Array) => boolean;
  #resolve: (told: Told) => void = () => undefined;
  #chunks: Buffer[] = [];

  constructor(no: (chunk: Uint8Array) => boolean = () => false) {
    this.#no = no;
    this.told = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  head(head: ResponseHead): void {
    this.headed = head;
  }

  data(chunk: Uint8Array): boolean {
    this.bytes += chunk.byteLength;
    if (this.bytes < 1_000_000) this.#chunks.push(Buffer.from(chunk));
    return !this.#no(chunk);
  }

  end(): void {
    this.#tell('end', undefined, false);
  }

  failed(error: unknown, unanswered: boolean): void {
    this.#tell('failed', error, unanswered);
  }

  #tell(end: Told['end'], error: unknown, unanswered: boolean): void {
    const body = Buffer.concat(this.#chunks).toString('latin1');
    this.#resolve({ head: this.headed, body, end, error, unanswered });
  }
}

/** One request, its answer read whole; fails after twenty seconds without one. */
export async function ask(stand: Connections, request: Partial<OutgoingRequest> = {}): Promise<Told> {
  const connection = await stand.borrow();
  const taker = new Collector();
  connection.send({ method: 'GET', target: '/', headers: [], body: null, ...request }, taker);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('nothing tells how the answer ended')), 20_000);
  });
  return Promise.race([taker.told, late]).finally(() => clearTimeout(timer));
}

/** The error's code, and the code of its cause: which of several failures of the network it is. */
export function codesOf(error: unknown): readonly unknown[] {
  const code = (one: unknown): unknown => (one instanceof Error && 'code' in one ? one.code : undefined);
  return [code(error), error instanceof Error ? code(error.cause) : undefined];
}

/** A body whose pieces the test gives. */
export class TestBody implements BodySource {
  readonly length: number | undefined;
  readonly started: Promise<BodySink>;
  resumed = 0;
  stopped = 0;
  onResume: () => void = () => undefined;
  #start: (sink: BodySink) => void = () => undefined;

  constructor(length?: number) {
    this.length = length;
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
  }

  start(sink: BodySink): void {
    this.#start(sink);
  }

  resume(): void {
    this.resumed += 1;
    this.onResume();
  }

  stop(): void {
    this.stopped += 1;
  }
}
