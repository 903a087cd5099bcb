import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import type { Client, Dispatcher } from 'undici';
import { Exchange } from './exchange.js';
import { ConnectError } from './network-cause.js';
import type { Origin } from './origin.js';
import type { PooledConnection } from './pool.js';
import { makeResponse } from './response.js';

const maxHeaderBytes = 16 * 1024;

/** One connection to an origin, spoken over by undici's connection class. */
export class ClientConnection implements PooledConnection {
  readonly #client: Client;
  /** Of a connection that is just being opened. */
  #opening: AbortController | undefined;
  #isClosed = false;
  #socket: Socket | undefined;
  #requests = 0;

  /**
   * @param client undici's connection class
   * @param gone Called when the connection is closed
   */
  constructor(
    client: typeof Client,
    origin: Origin,
    connect: (signal: AbortSignal) => Promise<Socket>,
    gone: (connection: ClientConnection) => void,
  ) {
    this.#client = new client(origin.url, {
      connect: (_, callback) => {
        const opening = new AbortController();
        this.#opening = opening;
        if (this.#isClosed) opening.abort();
        connect(opening.signal).then(
          (socket) => {
            this.#opening = undefined;
            this.#socket = socket;
            callback(null, socket);
          },
          (error: unknown) => callback(new ConnectError(error), null),
        );
      },
      maxHeaderSize: maxHeaderBytes,
      // Our own limits cover the whole of a request.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
    });
    this.#client.on('disconnect', () => gone(this));
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
    this.#isClosed = true;
    this.#opening?.abort();
    await this.#client.destroy(closed());
  }
}

/** Node.js asks the error of a socket for its stack, and V8 then counts the lines of the whole program: 5 ms of a request. */
function closed(): Error {
  const error = new Error('The connection was closed here.');
  error.stack = error.message;
  return error;
}

/**
 * 500 times that of V8 11: a process that lives long still gets the optimised parser, some hundred megabytes later. To
 * make it takes 25 MiB of memory for a moment, while some message is just being read.
 */
const tieringBudget = 1_000_000_000;

/**
 * Loads undici's connection class. Two things halve what the first request of a process costs: of undici
 * only this one file is loaded, and V8 11 (Node 20) does not begin to optimise undici's HTTP parser
 * (WebAssembly) at the first response, work that a short process would have to wait for when it ends.
 * Newer V8s wait longer by themselves.
 */
export async function loadClient(): Promise<typeof Client> {
  if (process.versions.v8.startsWith('11.')) setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
  const { default: client } = await import('undici/lib/dispatcher/client.js');
  return client;
}

const response = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

const limits = { totalMs: 1_000, headersMs: 1_000, maxBytes: 64 };

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
 * Reads a made-up response, without a network, in just the way in which a real one is read. What runs for the first time
 * in a process has to be compiled: 7 ms of processor time for a response, most of it for undici's parser (WebAssembly).
 * For one that cannot be had again, a kill within that time loses it; so it is spent before the request is sent.
 */
export async function rehearse(): Promise<void> {
  let isAsked = false;
  const wire = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      // The head and the body are two writes; a second response would be one too many, and an error with its stack.
      if (!isAsked) wire.push(response);
      isAsked = true;
      done();
    },
  });
  const none = () => undefined;
  await using connection = new ClientConnection(await loadClient(), nowhere, async () => wire as Socket, none);
  const exchange = new Exchange(nowhere, 'POST', none);
  const limit = setTimeout(() => exchange.fail(new Error('the rehearsal hangs')), 1_000);
  try {
    connection.dispatch({ path: '/', method: 'POST', headers: ['accept', '*/*'], body: 'a' }, exchange);
    const request = { method: 'POST', limits };
    await makeResponse(request, { url: nowhere.url, origin: nowhere, head: await exchange.head, exchange }).bytes();
  } finally {
    clearTimeout(limit);
    wire.destroy();
  }
}
