import { protocolBroken } from '../../errors/call.js';
import type { HostPipe } from '../../ports/bridging.js';
import type { EventBytes } from '../../primitives/event-bytes.js';
import { type MessageShape, type ScannedText, scanText } from '../../protocol/mcp/scan-message.js';
import type { PendingRequests } from './pending.js';
import type { Session } from './session.js';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

export interface InboundParts {
  readonly server: string;
  readonly host: HostPipe;
  readonly pending: PendingRequests;
  readonly session: Session;
  readonly tell: (line: string) => void;
}

/** What the server sends: checked, and handed to the host as the bytes that came, each message on one line. */
export class Inbound {
  readonly #parts: InboundParts;

  constructor(parts: InboundParts) {
    this.#parts = parts;
  }

  /** An event of a stream; what is no message is passed over. @throws as `take` */
  event({ event, data }: EventBytes): void {
    if (data.byteLength > 0 && (event === '' || event === 'message')) this.take(data);
  }

  /** One JSON text. @throws Failure `protocol_broken` where it is no message */
  take(text: Uint8Array): void {
    const { server, host } = this.#parts;
    const bytes = withoutMark(text);
    const scanned = scanText(bytes);
    if (typeof scanned === 'string') {
      throw protocolBroken(server, 'it sent something that is no JSON-RPC message');
    }
    if (this.#isWanted(bytes, scanned)) host.write(oneLine(bytes));
  }

  /** Whether all of it is for the host: nobody gets an answer that was not asked for, or gets it twice. */
  #isWanted(bytes: Uint8Array, { isBatch, messages }: ScannedText): boolean {
    const { tell, server, session } = this.#parts;
    if (isBatch && !allowsBatches(session.revision)) {
      throw protocolBroken(
        server,
        'it sent a batch of messages, which the revision that was agreed on has not',
      );
    }
    let isWanted = true;
    for (const message of messages) isWanted = this.#admit(bytes, message) && isWanted;
    if (!isWanted) tell('The server sent an answer that nobody waits for; it was left out.');
    return isWanted;
  }

  #admit(bytes: Uint8Array, message: MessageShape): boolean {
    const { pending, session } = this.#parts;
    if (message.kind !== 'answer') return true;
    const request = pending.find(message.id);
    if (request === undefined) return false;
    if (request.method === 'initialize') session.takeAnswer(bytes, message);
    if (request.isModern && request.method === 'tools/list') session.parameterHeaders.learn(bytes);
    return pending.settle(request);
  }
}

/** Only revision 2025-03-26 has batches. */
export function allowsBatches(revision: string | undefined): boolean {
  return revision === '2025-03-26';
}

/** Line ends of a text that has been found to be JSON stand between its parts; as blanks they mean the same. */
export function oneLine(bytes: Uint8Array): Uint8Array {
  if (bytes.indexOf(lineFeed) === -1 && bytes.indexOf(carriageReturn) === -1) return bytes;
  return bytes.map((byte) => (byte === lineFeed || byte === carriageReturn ? space : byte));
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
