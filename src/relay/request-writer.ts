import type { Socket } from 'node:net';

/** Takes the pieces of a body as they come. */
export interface BodySink {
  /** False: not sent yet. Until `resume` is called on the source, give no more. */
  bodyPiece(piece: Uint8Array): boolean;
  bodyEnd(): void;
  /** The body breaks off: the request fails with this. */
  bodyFailed(error: unknown): void;
}

/** The body of one request, given piece by piece and no faster than it is sent. */
export interface BodySource {
  /** In bytes; unknown: the body is sent in chunked coding. */
  readonly length: number | undefined;
  /** Called once: pieces may be given from now on, even during this call. */
  start(sink: BodySink): void;
  resume(): void;
  /** Nothing more is wanted. Called at most once, at any time. */
  stop(): void;
}

/** A whole head: the first byte of a request to the first of its body. */
const requestHead =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [\x21-\x7e]+ HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)+\r\n$/;

/** Methods whose requests say that they have no body (RFC 9110 section 8.6). */
const bodied: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** One request as a connection sends it. */
export interface OutgoingRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names and values in turn; without `Host`, and nothing about framing or the connection. */
  readonly headers: readonly string[];
  /** Bytes are left alone until the request is over. */
  readonly body: Uint8Array | BodySource | null;
}

/** Writes the heads of the requests of one connection, each validated as the text that it becomes. */
export class RequestHeads {
  readonly #host: string;
  /** The latest head: a repeated one is not validated again. */
  #latest = { text: '', lines: 0 };

  /** @param host value of `Host` */
  constructor(host: string) {
    this.#host = host;
  }

  /**
   * The text of a request's head, one character a byte; the framing is ours alone (RFC 9112 section 6). Undefined where
   * the parts, validated before, do not make exactly one head: this is the last net.
   */
  textOf({ method, target, headers, body }: OutgoingRequest): string | undefined {
    let text = `${method} ${target} HTTP/1.1\r\nhost: ${this.#host}\r\nconnection: keep-alive\r\n`;
    for (let at = 0; at + 1 < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
    const isFramed = body !== null || bodied.has(method);
    const length = body === null ? 0 : body.length;
    if (!isFramed) text += '\r\n';
    else text += length === undefined ? 'transfer-encoding: chunked\r\n\r\n' : `content-length: ${length}\r\n\r\n`;
    // The first line, two of our own, the empty one, and what frames the body.
    const lines = headers.length / 2 + (isFramed ? 5 : 4);
    if (text === this.#latest.text && lines === this.#latest.lines) return text;
    if (!isOneHead(text, lines)) return undefined;
    this.#latest = { text, lines };
    return text;
  }
}

function isOneHead(text: string, lines: number): boolean {
  if (!requestHead.test(text)) return false;
  let left = lines;
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) left -= 1;
  return left === 0;
}

const crlf = '\r\n';

/** A body up to this length is one piece with its head. In bytes. */
const shortBody = 8_192;

/** Called when the sending of a body ends. */
export interface SendingEnd {
  /** All of it is written to the connection. */
  bodySent(): void;
  /** `mismatch`: it is longer or shorter than announced. */
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

/** Writes a head and its body. A body that comes piece by piece is returned, to be started. */
export function writeRequest(
  socket: Socket,
  head: string,
  body: Uint8Array | BodySource | null,
  end: SendingEnd,
): SentBody | undefined {
  if (body instanceof Uint8Array && body.length <= shortBody) {
    const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
    socket.write(head + text, 'latin1');
    return undefined;
  }
  const isWhole = body instanceof Uint8Array;
  if (isWhole) socket.cork();
  socket.write(head, 'latin1');
  if (body === null) return undefined;
  if (!isWhole) return new SentBody(socket, body, end);
  socket.write(body);
  socket.uncork();
  return undefined;
}
