import type { Socket } from 'node:net';
import type { BodySink, BodySource } from './exchange-parts.js';

const crlf = '\r\n';

/** A body up to here is one piece with its head. In bytes. */
const shortBody = 8_192;

/** Is told how the sending of a body ends. */
export interface SendingEnd {
  /** All of it has been given to the connection. */
  bodySent(): void;
  /** `mismatch`: it is longer or shorter than was announced. */
  bodyBroken(error: unknown, mismatch: boolean): void;
}

/** Sends a body on a connection, as long as was announced or in chunked coding, with back-pressure. */
export class SentBody implements BodySink {
  readonly #socket: Socket;
  readonly #source: BodySource;
  readonly #end: SendingEnd;
  readonly #flushed: () => void;
  /** Bytes that are still to come; undefined: chunked. */
  #left: number | undefined;
  #isWaiting = false;
  #isOver = false;

  constructor(socket: Socket, source: BodySource, end: SendingEnd) {
    this.#socket = socket;
    this.#source = source;
    this.#end = end;
    this.#left = source.length;
    this.#flushed = () => {
      if (!this.#isWaiting || this.#isOver || socket.writableLength > 0) return;
      this.#isWaiting = false;
      source.resume();
    };
  }

  start(): void {
    this.#source.start(this);
  }

  /** Nothing more is sent. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.stop();
  }

  bodyPiece(piece: Uint8Array): boolean {
    const { length } = piece;
    if (this.#isOver || length === 0) return true;
    const socket = this.#socket;
    if (this.#left === undefined) {
      socket.cork();
      socket.write(length.toString(16) + crlf, 'latin1');
      socket.write(piece);
      socket.write(crlf, 'latin1', this.#flushed);
      socket.uncork();
    } else {
      if (length > this.#left) {
        this.#break(undefined, true);
        return true;
      }
      this.#left -= length;
      socket.write(piece, this.#flushed);
    }
    this.#isWaiting = socket.writableLength > 0;
    return !this.#isWaiting;
  }

  bodyEnd(): void {
    if (this.#isOver) return;
    if (this.#left !== undefined && this.#left > 0) {
      this.#break(undefined, true);
      return;
    }
    this.#isOver = true;
    if (this.#left === undefined) this.#socket.write('0\r\n\r\n', 'latin1');
    this.#end.bodySent();
  }

  bodyFailed(error: unknown): void {
    this.#break(error, false);
  }

  #break(error: unknown, mismatch: boolean): void {
    if (this.#isOver) return;
    this.stop();
    this.#end.bodyBroken(error, mismatch);
  }
}

/** Writes a head, and what follows it; a body that comes piece by piece is to be started then. */
export function writeRequest(
  socket: Socket,
  head: string,
  body: Uint8Array | BodySource | null,
  end: SendingEnd,
): SentBody | undefined {
  if (body === null) {
    socket.write(head, 'latin1');
  } else if (!(body instanceof Uint8Array)) {
    socket.write(head, 'latin1');
    return new SentBody(socket, body, end);
  } else if (body.length <= shortBody) {
    const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
    socket.write(head + text, 'latin1');
  } else {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }
  return undefined;
}
