import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import type { Client, Dispatcher } from 'undici';
import { type ConnectorOptions, connectTo } from './connector.js';
import { Exchange } from './exchange.js';
import { ConnectError } from './network-cause.js';
import type { Origin } from './origin.js';
import type { ConnectionOwner, PooledConnection } from './pool.js';
import type { HttpRequest } from './request.js';
import { makeResponse } from './response.js';

const headerBlockLimit = 16 * 1024;

/** One connection to an origin as undici's connection class has it: for single requests. */
export class ClientConnection implements PooledConnection {
  readonly #client: Client;
  readonly #closing = new AbortController();
  #socket: Socket | undefined;
  #requests = 0;

  /** @param client undici's connection class */
  constructor(
    client: typeof Client,
    origin: Origin,
    options: ConnectorOptions,
    owner: ConnectionOwner<ClientConnection>,
  ) {
    this.#client = new client(origin.url, {
      connect: (_, callback) => {
        connectTo(origin, options, this.#closing.signal).then(
          (socket) => {
            this.#socket = socket;
            callback(null, socket);
          },
          (error: unknown) => callback(new ConnectError(error), null),
        );
      },
      maxHeaderSize: headerBlockLimit,
      // The client has its own limits, which cover the whole of a request.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
    });
    this.#client.on('disconnect', () => owner.gone(this));
  }

  /** Whether an earlier request already went through this connection. */
  get reused(): boolean {
    return this.#requests > 1;
  }

  get usable(): boolean {
    return this.#socket?.destroyed === false && !this.#client.destroyed;
  }

  dispatch(request: Omit<Dispatcher.DispatchOptions, 'origin'>, handler: Dispatcher.DispatchHandler): void {
    this.#requests += 1;
    this.#client.dispatch(request, handler);
  }

  /** Ends the connection at once, and with it the request that uses it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#client.destroy();
  }
}

/**
 * 500 times that of V8 11: a process that lives long still gets the optimised parser, some hundred megabytes later. To
 * make it takes 25 MiB of memory for a moment, beside whatever message is just being read.
 */
const tieringBudget = 1_000_000_000;

/**
 * Loads undici's connection class. Two things halve what the first request of a process costs: of undici
 * only this one file is loaded, and V8 11 (Node 20) does not begin to optimise undici's HTTP parser
 * (WebAssembly) at the first answer, work that a short process would have to wait for when it ends.
 * Newer V8s wait longer by themselves.
 */
export async function loadClient(): Promise<typeof Client> {
  if (process.versions.v8.startsWith('11.')) setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
  const { default: client } = await import('undici/lib/dispatcher/client.js');
  return client;
}

const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

const request: Pick<HttpRequest, 'method' | 'limits'> = {
  method: 'POST',
  limits: { totalMs: 1_000, headersMs: 1_000, maxBytes: 64 },
};

const nowhere: Origin = {
  url: 'http://rehearsal.invalid',
  host: 'rehearsal.invalid',
  port: 80,
  secure: false,
  classes: [],
  addresses: [],
  proxy: undefined,
  zone: 'public',
};

/**
 * Reads a made-up answer, without a network, in just the way in which a real one is read. What runs for the first time in
 * a process has to be compiled: 7 ms of processor time for an answer, most of it for undici's parser (WebAssembly). For one
 * that cannot be had again, a kill within that time loses it; so it is spent before the request is sent.
 */
export async function rehearse(): Promise<void> {
  const client = await loadClient();
  const wire = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      wire.push(answer);
      done();
    },
  });
  const undici = new client(nowhere.url, {
    connect: (_, callback) => queueMicrotask(() => callback(null, wire as Socket)),
  });
  const exchange = new Exchange(nowhere, request.method, () => undefined);
  const limit = setTimeout(() => exchange.fail(new Error('the rehearsal hangs')), 1_000);
  try {
    undici.dispatch({ path: '/', method: 'POST', headers: ['accept', '*/*'], body: 'a' }, exchange);
    const head = await exchange.head;
    await makeResponse({
      request,
      url: nowhere.url,
      origin: nowhere,
      head,
      exchange,
      keepCoding: false,
    }).bytes();
  } finally {
    clearTimeout(limit);
    wire.destroy();
    await undici.destroy();
  }
}
