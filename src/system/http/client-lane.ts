import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { type ConnectorOptions, connectTo } from './connector.js';
import { ConnectError } from './network-cause.js';
import type { Place } from './place.js';
import type { LaneHome, PooledLane } from './pooled-lane.js';

const headerBlockLimit = 16 * 1024;

/** One connection of a place as undici's connection class has it: for the door's single requests. */
export class ClientLane implements PooledLane {
  readonly #client: Client;
  readonly #closing = new AbortController();
  #socket: Socket | undefined;
  #requests = 0;

  /** @param client undici's connection class */
  constructor(client: typeof Client, place: Place, options: ConnectorOptions, home: LaneHome<ClientLane>) {
    this.#client = new client(place.origin, {
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
    this.#client.on('disconnect', () => home.gone(this));
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
