import type { ServerResponse } from 'node:http';
import { inertPage } from '../../primitives/relayed-headers.js';
import type { Refusal } from './refusal.js';

/** In bytes. */
const shortBody = 8_192;

/**
 * The answer to the caller. The head waits for the end of the turn, so that a short answer leaves in one piece; what
 * comes later leaves as it comes.
 */
export class Outgoing {
  readonly #response: ServerResponse;
  #head: { readonly status: number; readonly headers: string[] } | undefined;
  #first: Uint8Array | undefined;
  #sent = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Has anything been given to the caller, or is about to be? */
  get begun(): boolean {
    return this.#sent || this.#head !== undefined;
  }

  head(status: number, headers: string[]): void {
    this.#head = { status, headers };
    process.nextTick(flush, this);
  }

  /** False: the caller has not read what came before; `drained` is called when it has. */
  data(chunk: Uint8Array, drained: () => void): boolean {
    if (!this.#sent) {
      if (this.#first === undefined) {
        this.#first = chunk;
        return true;
      }
      this.flush();
    }
    const goOn = this.#response.write(chunk);
    if (!goOn) this.#response.once('drain', drained);
    return goOn;
  }

  end(): void {
    if (!this.#sent && this.#head !== undefined) {
      this.#sent = true;
      this.#response.writeHead(this.#head.status, this.#head.headers);
      this.#endWith(this.#first);
      return;
    }
    this.#response.end();
  }

  /** A short body as text of one byte a character: Node puts that into one piece with the head. */
  #endWith(body: Uint8Array | undefined): void {
    if (body !== undefined && body.byteLength <= shortBody) {
      this.#response.end(
        Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'),
        'latin1',
      );
    } else {
      this.#response.end(body);
    }
  }

  /** An answer of our own; when one has begun already, it is broken off instead. */
  refuse({ status, code, message, close }: Refusal, id: string): void {
    if (this.begun) {
      this.#response.destroy();
      return;
    }
    this.#sent = true;
    const body = Buffer.from(`${JSON.stringify({ error: { code, message }, request: id })}\n`);
    const own = ['content-type', 'application/json', 'cache-control', 'no-store'];
    const framing = ['content-length', String(body.byteLength)];
    if (close === true) this.#response.shouldKeepAlive = false;
    this.#response.writeHead(status, [...own, ...inertPage, ...framing]);
    this.#response.end(body);
  }

  flush(): void {
    if (this.#sent || this.#head === undefined) return;
    this.#sent = true;
    this.#response.writeHead(this.#head.status, this.#head.headers);
    if (this.#first === undefined) this.#response.flushHeaders();
    else this.#response.write(this.#first);
    this.#first = undefined;
  }
}

function flush(outgoing: Outgoing): void {
  outgoing.flush();
}
