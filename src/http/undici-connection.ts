import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { ConnectError } from './network-cause.js';
import type { Origin } from './origin.js';
import type { PooledConnection } from './pool.js';

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
    await this.#client.destroy(new Error('The connection was closed here.'));
  }
}
