import { Failure } from '../core/failure.js';
import { ByteCollector } from '../core/text/bytes.js';
import type { EventBytes } from '../core/text/event-stream.js';
import { protocolBroken } from '../mcp/failures.js';
import { type MessageShape, type ScannedText, scanText } from '../mcp/scan-message.js';
import type { HostPipe } from './host-pipe.js';
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
  #unasked = 0;
  #broken = 0;

  constructor(parts: InboundParts) {
    this.#parts = parts;
  }

  /** An event of a stream; one that holds no message is passed over: false. @throws as `take` */
  event({ event, data }: EventBytes): boolean {
    return data.byteLength > 0 && (event === '' || event === 'message') && this.take(data);
  }

  /** An event of a stream that goes on whatever comes: what is no message is left out, too. False: nothing for the host. */
  overhear(event: EventBytes): boolean {
    try {
      return this.event(event);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#broken += 1;
      if (isReported(this.#broken)) this.#parts.tell(`${error.message}${soOften(this.#broken)}`);
      return false;
    }
  }

  /** One JSON text. False: none of it is for the host. @throws Failure `protocol_broken` where it is no message */
  take(text: Uint8Array): boolean {
    const { server, host } = this.#parts;
    const bytes = withoutMark(text);
    const scanned = scanText(bytes);
    if (typeof scanned === 'string') throw protocolBroken(server, 'it sent something that is no JSON-RPC message');
    const isWanted = this.#isWanted(bytes, scanned);
    if (isWanted) host.write(oneLine(bytes));
    return isWanted;
  }

  /** Whether all of it is for the host: nobody gets an answer that was not asked for, or gets it twice. */
  #isWanted(bytes: Uint8Array, { isBatch, messages }: ScannedText): boolean {
    const { tell, server, session } = this.#parts;
    if (isBatch && !allowsBatches(session.revision)) {
      throw protocolBroken(server, 'it sent a batch of messages, which the revision that was agreed on has not');
    }
    let isWanted = true;
    for (const message of messages) isWanted = this.#admit(bytes, message) && isWanted;
    if (isWanted) return true;
    this.#unasked += 1;
    if (isReported(this.#unasked)) {
      tell(`The server sent an answer that nobody waits for; it was left out.${soOften(this.#unasked)}`);
    }
    return false;
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

/** What a server does without end is told at the first time, the tenth, the hundredth … */
function isReported(times: number): boolean {
  return /^10*$/.test(String(times));
}

function soOften(times: number): string {
  return times === 1 ? '' : ` (${times} times by now)`;
}

/** What some readers take for the end of a line, in UTF-8: U+0085, U+2028 and U+2029. */
const otherLineEnds = [
  { bytes: Uint8Array.of(0xc2, 0x85), escaped: '\\u0085' },
  { bytes: Uint8Array.of(0xe2, 0x80, 0xa8), escaped: '\\u2028' },
  { bytes: Uint8Array.of(0xe2, 0x80, 0xa9), escaped: '\\u2029' },
].map(({ bytes, escaped }) => ({ bytes, escaped: new TextEncoder().encode(escaped) }));

/**
 * A text that has been found to be JSON, on one line for every reader. Line ends of ASCII stand between its parts: as
 * blanks they mean the same. The others stand in strings, and are escaped there.
 */
export function oneLine(text: Uint8Array): Uint8Array {
  const bytes = text instanceof Buffer ? text : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const isOne = bytes.indexOf(lineFeed) === -1 && bytes.indexOf(carriageReturn) === -1;
  const flat = isOne ? bytes : bytes.map((byte) => (byte === lineFeed || byte === carriageReturn ? space : byte));
  const mayHaveOther = bytes.indexOf(0xe2) !== -1 || bytes.indexOf(0xc2) !== -1;
  return mayHaveOther && otherLineEnds.some((end) => bytes.indexOf(end.bytes) !== -1) ? escaped(flat) : flat;
}

function escaped(text: Uint8Array): Uint8Array {
  const collector = new ByteCollector();
  let from = 0;
  for (let at = 0; at < text.byteLength; at += 1) {
    const lead = text[at];
    if (lead !== 0xc2 && lead !== 0xe2) continue;
    const found = otherLineEnds.find(({ bytes }) => bytes.every((byte, index) => text[at + index] === byte));
    if (found === undefined) continue;
    collector.push(text.subarray(from, at));
    collector.push(found.escaped);
    from = at + found.bytes.byteLength;
  }
  collector.push(text.subarray(from));
  return collector.take();
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
