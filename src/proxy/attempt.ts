import type { ConnectionPool } from '../http/pool.js';
import type { Connection, ResponseHandler } from '../relay/connection.js';
import type { ResponseHead } from '../relay/heads.js';
import type { OutgoingRequest } from '../relay/request-writer.js';
import type { ExchangeParts } from './exchange-parts.js';
import { proxyLimits } from './limits.js';

/** One request on one connection to the server, which may be given up and yet leave the connection fit for another. */
export class Attempt implements ResponseHandler {
  readonly #connection: Connection;
  #handler: ResponseHandler | undefined;
  #dropped = 0;
  #isStreaming = false;

  constructor(connection: Connection, handler: ResponseHandler) {
    this.#connection = connection;
    this.#handler = handler;
  }

  send(request: OutgoingRequest): void {
    this.#isStreaming = request.body !== null && !(request.body instanceof Uint8Array);
    this.#connection.send(request, this);
  }

  /**
   * Nobody wants the rest: a short one is read and dropped, a longer one cut off with its connection. So is one whose
   * request may still be on its way: what it took of the body would be missing in the next try.
   */
  drop(): void {
    if (this.#isStreaming) {
      this.cut();
      return;
    }
    this.#handler = undefined;
    this.resume();
    setTimeout(() => this.#connection.cut(this), proxyLimits.droppingMs).unref();
  }

  /** Ends it now, and its connection, unless it has been dropped. */
  cut(): void {
    if (this.#handler !== undefined) this.#connection.cut(this);
    this.#handler = undefined;
  }

  resume(): void {
    this.#connection.resume(this);
  }

  head(head: ResponseHead): void {
    this.#handler?.head(head);
  }

  data(chunk: Uint8Array): boolean {
    if (this.#handler !== undefined) return this.#handler.data(chunk);
    this.#dropped += chunk.byteLength;
    if (this.#dropped > proxyLimits.dropped) this.#connection.cut(this);
    return true;
  }

  end(): void {
    this.#handler?.end();
  }

  failed(error: unknown, unanswered: boolean): void {
    this.#handler?.failed(error, unanswered);
    this.#handler = undefined;
  }
}

/** Borrows a connection to the server of a request: at once where there is one, else when it is there. */
export function borrowConnection(
  { around, admitted }: ExchangeParts,
  use: (connection: Connection, pool: ConnectionPool<Connection>) => void,
  failed: (error: unknown) => void,
): void {
  const { origins, signal } = around;
  const { url, origin } = admitted.mounted;
  const pool = origins.open(origin);
  const connection = pool?.borrowNow('stream');
  if (pool !== undefined && connection !== undefined) {
    use(connection, pool);
    return;
  }
  const borrow = async () => {
    const found = await origins.find(url, 'person', signal);
    use(await found.borrow('stream', signal), found);
  };
  borrow().catch(failed);
}
