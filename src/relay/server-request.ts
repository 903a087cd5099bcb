import { ChunkedBody } from './chunked-body.js';
import { type RequestFraming, type RequestLine, readMessageHead, readRequestLine, relayedMethods } from './heads.js';
import { serverLimits } from './limits.js';
import { statusLine } from './server-response.js';

const cr = 0x0d;

/** No controls, no line feed or carriage return by itself: with one of these no text becomes a head. */
const stillPossible = /^(?:[\t\x20-\x7e\x80-\xff]|\r\n)*\r?$/;

/** The status for bytes that are no head of a request. */
export type HeadProblem = 400 | 405 | 431;

/** Collects the bytes of a request's head as they come, and reads it. */
export class HeadReader {
  /** The head that the last piece completed. */
  read: IncomingRequest | undefined;
  problem: HeadProblem | undefined;
  /** One character a byte. */
  #begun = '';
  #skipped = false;
  #lineRead = false;
  /** Programs repeat their heads: the same text is the same object. */
  #latestText = '';
  #latest: IncomingRequest | undefined;

  /** A head has begun whose end has not come. */
  get begun(): boolean {
    return this.#begun !== '';
  }

  /** Returns how many bytes of the piece belong to the head; the body or the next request follows. */
  push(piece: Buffer): number {
    this.read = undefined;
    if (this.#begun === '' && (this.#skipped || piece[0] !== cr)) {
      const end = piece.indexOf('\r\n\r\n', 0, 'latin1');
      if (end !== -1) return this.#whole(piece.toString('latin1', 0, end + 2), end + 4);
    }
    const before = this.#begun.length;
    const all = this.#begun + piece.toString('latin1', 0, serverLimits.head + 4);
    const text = this.#withoutEmptyLine(all);
    const skipped = all.length - text.length;
    const end = text.indexOf('\r\n\r\n', Math.max(0, before - skipped - 3));
    if (end !== -1) return this.#whole(text.slice(0, end + 2), end + 4 + skipped - before);
    this.#begun = text;
    if (text.length >= serverLimits.head) this.problem = 431;
    else if (!this.#mayBecomeHead(text, before - skipped)) this.problem = 400;
    return piece.length;
  }

  /** One empty line before a request is overlooked (RFC 9112 section 2.2). */
  #withoutEmptyLine(text: string): string {
    if (this.#skipped || !text.startsWith('\r\n')) return text;
    this.#skipped = true;
    return text.slice(2);
  }

  #whole(text: string, used: number): number {
    this.#begun = '';
    this.#skipped = false;
    this.#lineRead = false;
    if (text.length + 2 > serverLimits.head) this.problem = 431;
    else this.#readHead(text);
    return used;
  }

  #readHead(text: string): void {
    if (text === this.#latestText) this.read = this.#latest;
    else this.#readNewHead(text);
  }

  #readNewHead(text: string): void {
    const head = readMessageHead(text, serverLimits.head);
    const line = head && readRequestLine(head.start);
    // A tab at a line's end is white space to some and a part of the value to others.
    const isPlain = head !== undefined && !text.includes('\t\r\n');
    if (!isPlain || line === undefined) this.problem = 400;
    else if (!relayedMethods.includes(line.method)) this.problem = 405;
    else {
      this.#latestText = text;
      this.#latest = {
        method: line.method,
        target: line.target,
        minor: line.minor,
        lines: head.lines,
        known: undefined,
      };
      this.read = this.#latest;
    }
  }

  /** What is no HTTP is refused at once. The part before `from` was checked before. */
  #mayBecomeHead(text: string, from: number): boolean {
    const first = text.charCodeAt(from - 1) === cr ? from - 1 : Math.max(0, from);
    if (!stillPossible.test(text.slice(first))) return false;
    const end = this.#lineRead ? -1 : text.indexOf('\r\n');
    if (end === -1) return true;
    this.#lineRead = true;
    return readRequestLine(text.slice(0, end)) !== undefined;
  }
}

export interface BodyProgress {
  /** Bytes of the piece that belong to the body. */
  readonly used: number;
  readonly ended: boolean;
  /** False: no more for now. */
  readonly goOn: boolean;
}

/** Finds where the body of one request ends (RFC 9112 section 6), and hands it on. */
export class BodyReader {
  readonly #chunks: ChunkedBody | undefined;
  #taker: BodyHandler | undefined;
  /** Bytes that are still to come, where a length was announced. */
  #left = 0;
  #goOn = true;
  readonly #givePart = ({ buffer, byteOffset, byteLength }: Uint8Array): void =>
    this.#give(Buffer.from(buffer, byteOffset, byteLength));

  constructor(framing: RequestFraming, taker: BodyHandler) {
    this.#taker = taker;
    if (framing.kind === 'length') this.#left = framing.length;
    this.#chunks = framing.kind === 'chunked' ? new ChunkedBody() : undefined;
  }

  /** How many parts the latest piece had: its cost. */
  get parts(): number {
    return this.#chunks?.chunks ?? 1;
  }

  /** Undefined: the body is malformed. */
  push(piece: Buffer): BodyProgress | undefined {
    this.#goOn = true;
    if (this.#chunks !== undefined) {
      const progress = this.#chunks.push(piece, this.#givePart);
      return progress && { ...progress, goOn: this.#goOn };
    }
    const used = Math.min(piece.length, this.#left);
    this.#left -= used;
    this.#give(used === piece.length ? piece : piece.subarray(0, used));
    return { used, ended: this.#left === 0, goOn: this.#goOn };
  }

  end(): void {
    this.#taker?.end();
  }

  /** The rest is read and dropped. */
  drop(): void {
    this.#taker = undefined;
  }

  #give(piece: Buffer): void {
    if (this.#taker?.data(piece) === false) this.#goOn = false;
  }
}

/** The response to what is no request, or too long or slow. Bytes that follow are not read as a request. */
export function plainRefusal(status: HeadProblem | 408): string {
  const allow = status === 405 ? `Allow: ${relayedMethods.join(', ')}\r\n` : '';
  return `${statusLine(status)}${allow}Connection: close\r\nContent-Length: 0\r\n\r\n`;
}

/** A request as it came: first line, and names and values of header lines in turn. */
export interface IncomingRequest extends RequestLine {
  readonly lines: readonly string[];
  /** What the handler found out from the text alone: a repeated head is the same object. */
  known: unknown;
}

/** Takes the body of a request as it comes. */
export interface BodyHandler {
  /** False: no more for now. */
  data(piece: Buffer): boolean;
  end(): void;
}

/** A request under way, as the connection that it came on sees it. */
export interface UnderWay {
  /** The caller has gone. */
  gone(): void;
  /** The caller has read what was written of the response. */
  drained(): void;
  /** Its body is malformed. */
  broken(): void;
}

/** A body may follow, or the end of the connection: behind a refusal nothing is read then. */
export function mayHaveMore({ lines }: IncomingRequest): boolean {
  return lines.some(
    (line, at) =>
      at % 2 === 0 &&
      (/^(?:content-length|transfer-encoding)$/i.test(line) ||
        (/^connection$/i.test(line) && /close/i.test(lines[at + 1] ?? ''))),
  );
}
