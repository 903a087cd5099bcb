import { inertPage } from './forwarded-headers.js';
import { proxyLimits } from './limits.js';
import { type AnswerFraming, answerFraming, framingLine, headerText, statusLine } from './response-text.js';
import type { CallerConnection } from './server-connection.js';

/** What an answer's head says, beside how its body is framed. */
export interface OutgoingHead {
  readonly status: number;
  /** Header lines as text, each with its CRLF. */
  readonly headers: string;
  /** Of the body, in bytes; undefined where it is not known. */
  readonly length: number | undefined;
}

/**
 * The answer to one request. What is short waits for the end of the turn, so that head and body leave in one piece;
 * an answer whose body is not what its head has announced is broken off with its connection.
 */
export class Answer {
  readonly #connection: CallerConnection;
  readonly #method: string;
  #framing: AnswerFraming | undefined;
  /** Bytes that are still announced, where a length is. */
  #left = 0;
  /** One character a byte. */
  #pending = '';
  #scheduled = false;
  #over = false;

  constructor(connection: CallerConnection, method: string) {
    this.#connection = connection;
    this.#method = method;
  }

  /** Has anything been given to the caller, or is about to be? */
  get begun(): boolean {
    return this.#framing !== undefined;
  }

  /** `close`: the connection ends with this answer, and its head says so. */
  head({ status, headers, length }: OutgoingHead, close: boolean): void {
    const framing = answerFraming(this.#method, status, length);
    this.#framing = framing;
    if (length !== undefined) this.#left = length;
    const last = this.#connection.lastAnswer(close) ? 'connection: close\r\n' : '';
    this.#later(`${statusLine(status)}${headers}${framingLine(framing, status, length)}${last}\r\n`);
  }

  /** False: the caller has not read what came before; the connection tells when it has. */
  data(piece: Uint8Array): boolean {
    if (this.#over || this.#framing === 'none' || piece.byteLength === 0) return true;
    if (this.#framing === 'length') {
      this.#left -= piece.byteLength;
      if (this.#left < 0) {
        this.breakOff();
        return true;
      }
    }
    const before = this.#framing === 'chunked' ? `${piece.byteLength.toString(16)}\r\n` : '';
    const after = this.#framing === 'chunked' ? '\r\n' : '';
    if (piece.byteLength <= proxyLimits.shortPiece) {
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
    this.#connection.answered(this.#framing === 'chunked' ? `${this.#pending}0\r\n\r\n` : this.#pending);
    this.#pending = '';
  }

  /** An answer of our own; when another has begun already, it is broken off instead. */
  refuse({ status, code, message, close }: Refusal, id: string): void {
    if (this.begun) {
      this.breakOff();
      return;
    }
    const body = Buffer.from(`${JSON.stringify({ error: { code, message }, request: id })}\n`);
    const lines = ['content-type', 'application/json', 'cache-control', 'no-store', ...inertPage];
    const headers = headerText([...lines, 'date', new Date().toUTCString()]);
    this.head({ status, headers, length: body.byteLength }, close === true);
    this.data(body);
    this.end();
  }

  /** Nobody may take what is there for the whole of it. */
  breakOff(): void {
    if (this.#over) return;
    this.#flush(); // what did come is the caller's
    this.#over = true;
    this.#connection.socket.destroy();
  }

  #later(text: string): boolean {
    this.#pending += text;
    if (this.#pending.length > proxyLimits.pending) return this.#flush();
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

function flush(answer: Answer): void {
  answer.flush();
}

/** An answer of the proxy's own. `close`: nothing that follows on this connection can be believed. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** One sentence with nothing of the server's, the caller's or ours in it that would be worth hiding. */
  readonly message: string;
  readonly close?: boolean;
}
