import { protocolBroken } from '../../errors/call.js';
import type { Failure } from '../../errors/failure.js';
import { readEndpointEvent } from '../../primitives/endpoint-event.js';
import type { Admitted } from './admit.js';
import { pathOfEndpoint } from './endpoints.js';

/**
 * The beginning of an event stream. A server of the older transport names there where messages go, which is to lead to
 * its mount again; any other stream passes as it is, and nothing of it is held.
 */
export class StreamOpening {
  readonly #admitted: Admitted;
  #held = '';
  #over = false;

  constructor(admitted: Admitted) {
    this.#admitted = admitted;
  }

  /** What can be passed on now; Failure `protocol_broken` for an address that is not the server's own. */
  push(chunk: Uint8Array): Uint8Array | Failure {
    if (this.#over) return chunk;
    const text =
      this.#held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const found = readEndpointEvent(text);
    this.#held = found === 'more' ? text : '';
    if (found === 'more') return nothing;
    this.#over = true;
    if (found === undefined) return Buffer.from(text, 'latin1');
    const path = pathOfEndpoint(found.address, this.#admitted);
    if (path === undefined) {
      const { server } = this.#admitted.mounted.mount;
      return protocolBroken(server, 'it names an address for messages that is not its own');
    }
    return Buffer.from(found.before + path + found.after, 'latin1');
  }

  /** What is still held, at the stream's end. */
  rest(): Uint8Array {
    return Buffer.from(this.#held, 'latin1');
  }
}

const nothing = new Uint8Array(0);
