import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { type ConnectorOptions, connectTo } from './connector.js';
import { ConnectError } from './network-cause.js';
import type { Place } from './place.js';

const headerBlockLimit = 16 * 1024;

/** One connection of a place, which carries one request at a time and is kept alive between them. */
export class Lane implements AsyncDisposable {
  readonly #client: Client;
  readonly #closing = new AbortController();
  #socket: Socket | undefined;
  #busy = false;
  #requests = 0;

  /** @param onGone called when the connection is gone while no request uses it */
  constructor(place: Place, options: ConnectorOptions, onGone: (lane: Lane) => void) {
    this.#client = new options.client(place.origin, {
      connect: (_, callback) => {
        connectTo(place, options, this.#closing.signal).then(
          (socket) => {
            this.#socket = socket;
            callback(null, socket);
          },
          (error: unknown) => callback(new ConnectError(error), null),
        );
      },
      maxHeaderSize: headerBlockLimit,
      // The door has its own limits, which cover the whole of a request.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
    });
    this.#client.on('disconnect', () => {
      if (!this.#busy) onGone(this);
    });
  }

  /** Whether an earlier request already went through this connection. */
  get reused(): boolean {
    return this.#requests > 1;
  }

  /** Whether the next request can go the same way without connecting anew. */
  get usable(): boolean {
    return this.#socket?.destroyed === false && !this.#client.destroyed;
  }

  occupy(): void {
    this.#busy = true;
    this.#requests += 1;
  }

  free(): void {
    this.#busy = false;
  }

  dispatch(request: Omit<Dispatcher.DispatchOptions, 'origin'>, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** Ends the connection at once, and with it the request that uses it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#client.destroy();
  }
}
