import { serverLimits } from './limits.js';

/** The head of a response, without the framing of its body. */
export interface OutgoingResponse {
  readonly status: number;
  /** Header lines as text, each with its CRLF. */
  readonly headers: string;
  /** Of the body, in bytes; undefined where it is unknown. */
  readonly length: number | undefined;
}

/** The connection that a response leaves on. */
export interface ResponseConnection {
  readonly socket: {
    /** Something is written that the caller has not taken. */
    readonly behind: boolean;
    write(text: string, piece?: Uint8Array): boolean;
    destroy(): void;
  };
  /** Whether the response that begins is the last one. */
  lastResponse(close: boolean): boolean;
  /** A response ends with this text. */
  responded(text: string): void;
}

/** How the body of a response is sent (RFC 9112 section 6): not at all, with its length announced, or in chunks. */
type Framing = 'none' | 'length' | 'chunked';

/**
 * The response to one request. Short pieces wait for the end of the turn, so that head and body leave in one piece. A
 * response whose body is not as long as announced is broken off with its connection.
 */
export class ServerResponse {
  readonly #connection: ResponseConnection;
  readonly #method: string;
  #framing: Framing | undefined;
  /** Bytes that are still announced, where a length is. */
  #left = 0;
  /** One character a byte. */
  #pending = '';
  #scheduled = false;
  #over = false;

  constructor(connection: ResponseConnection, method: string) {
    this.#connection = connection;
    this.#method = method;
  }

  /** Something was sent to the caller, or is about to be. */
  get begun(): boolean {
    return this.#framing !== undefined;
  }

  /** `close`: the connection ends with this response, and its head says so. */
  head({ status, headers, length }: OutgoingResponse, close: boolean): void {
    const isEmpty = this.#method === 'HEAD' || status === 204 || status === 304;
    this.#framing = isEmpty ? 'none' : length === undefined ? 'chunked' : 'length';
    if (length !== undefined) this.#left = length;
    const last = this.#connection.lastResponse(close) ? 'connection: close\r\n' : '';
    this.#later(`${statusLine(status)}${headers}${this.#framingLine(status, length)}${last}\r\n`);
  }

  /** False: the caller has not read what came before; `drained` of the connection follows. */
  data(piece: Uint8Array): boolean {
    if (this.#over || this.#framing === 'none' || piece.byteLength === 0) return true;
    const isChunked = this.#framing === 'chunked';
    if (!isChunked) this.#left -= piece.byteLength;
    if (this.#left < 0) {
      this.breakOff();
      return true;
    }
    const before = isChunked ? `${piece.byteLength.toString(16)}\r\n` : '';
    const after = isChunked ? '\r\n' : '';
    if (piece.byteLength <= serverLimits.shortPiece) {
      const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
      return this.#later(before + text + after);
    }
    const head = this.#pending + before;
    this.#pending = after;
    const goOn = this.#connection.socket.write(head, piece);
    if (after !== '') this.#schedule();
    return goOn;
  }

  end(): void {
    if (this.#over) return;
    if (this.#framing === 'length' && this.#left !== 0) {
      this.breakOff();
      return;
    }
    this.#over = true;
    this.#connection.responded(this.#framing === 'chunked' ? `${this.#pending}0\r\n\r\n` : this.#pending);
    this.#pending = '';
  }

  /** Ends the connection: what is there must not look whole. */
  breakOff(): void {
    if (this.#over) return;
    this.#flush(); // what did come is the caller's
    this.#over = true;
    this.#connection.socket.destroy();
  }

  /** A response without a body may still say how long it would be (RFC 9110 section 8.6), but for 204. */
  #framingLine(status: number, length: number | undefined): string {
    if (this.#framing === 'chunked') return 'transfer-encoding: chunked\r\n';
    return length === undefined || status === 204 ? '' : `content-length: ${length}\r\n`;
  }

  #later(text: string): boolean {
    this.#pending += text;
    if (this.#pending.length > serverLimits.pending) return this.#flush();
    this.#schedule();
    return !this.#connection.socket.behind;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(flush, this);
  }

  #flush(): boolean {
    const text = this.#pending;
    this.#pending = '';
    return text === '' || this.#connection.socket.write(text);
  }

  /** For the end of the turn. */
  flush(): void {
    this.#scheduled = false;
    if (!this.#over) this.#flush();
  }
}

function flush(response: ServerResponse): void {
  response.flush();
}

const statusLines = new Map<number, string>();

/** The status line of a response, with its CRLF. Unusual statuses have no reason phrase, which is well-formed, too. */
export function statusLine(status: number): string {
  const known = statusLines.get(status);
  if (known !== undefined) return known;
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  statusLines.set(status, line);
  return line;
}

/** Header lines, each with its CRLF, of names and values in turn. */
export function headerText(lines: readonly string[]): string {
  let text = '';
  for (let at = 0; at + 1 < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`;
  return text;
}
