import type { AnswerHead } from './response-head.js';

/** Takes the pieces of a body as they come. */
export interface BodySink {
  /**
   * False: not sent yet. Until `resume` is called on the source, neither give more nor use the piece's memory for
   * something else; after true that is free again.
   */
  bodyPiece(piece: Uint8Array): boolean;
  bodyEnd(): void;
  /** There will be no end: the request is broken off, and fails with this. */
  bodyFailed(error: unknown): void;
}

/** The body of one request, given piece by piece and no faster than it is sent. */
export interface BodySource {
  /** In bytes, where it is known before; else the body is sent in chunked coding. */
  readonly length: number | undefined;
  /** Called once, when the first piece may be given; that may be done at once. */
  start(sink: BodySink): void;
  resume(): void;
  /** Nothing more is wanted, or will be. May be called at any time, but comes once. */
  stop(): void;
}

/** All that there is between the first byte of a request and the first of its body. */
const requestHead =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [\x21-\x7e]+ HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)+\r\n$/;

/** What takes a body where none is given: such a request says that it is empty (RFC 9110 section 8.6). */
const bodied: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The head of a request, without what frames its body. */
export interface RequestLines {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names and values in turn; without `Host`, and nothing about framing or the connection. */
  readonly headers: readonly string[];
}

/** Writes the heads of the requests of one connection, each judged as the text that it becomes. */
export class RequestHeads {
  readonly #host: string;
  /** The latest one that was sent: what is repeated is not judged again. */
  #latest = { text: '', lines: 0 };

  /** @param host value of `Host` */
  constructor(host: string) {
    this.#host = host;
  }

  /**
   * The text of a request's head, one character a byte; the framing is ours alone (RFC 9112 section 6). Undefined where
   * the parts, which others have judged before, do not make exactly one head: this is the last net.
   * @param length of the body in bytes; undefined: in chunked coding; null: none
   */
  textOf(request: RequestLines, length: number | undefined | null): string | undefined {
    const { method, target, headers } = request;
    let text = `${method} ${target} HTTP/1.1\r\nhost: ${this.#host}\r\nconnection: keep-alive\r\n`;
    for (let at = 0; at + 1 < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
    const sent = length === null && bodied.has(method) ? 0 : length;
    if (sent === undefined) text += 'transfer-encoding: chunked\r\n\r\n';
    else text += sent === null ? '\r\n' : `content-length: ${sent}\r\n\r\n`;
    // The first line, two of our own, the empty one, and what frames the body.
    const lines = headers.length / 2 + (sent === null ? 4 : 5);
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

/** One request as a lane sends it, which frames it: `headers` say nothing about its body. */
export interface LaneRequest extends RequestLines {
  /** Bytes are left alone until the request is over. */
  readonly body: Uint8Array | BodySource | null;
}

/** What is made of one answer as it comes; nothing is told after `end` or `failed`. */
export interface AnswerTaker {
  /** The head is the same object as before where its text was the same on the same connection. */
  head(head: AnswerHead): void;
  /**
   * The chunk's memory is used again once this has returned; after false, which asks for no more, once `resume` is
   * called. What has been read already may still come meanwhile, in other parts of that memory.
   */
  data(chunk: Uint8Array): boolean;
  /** Memory of a chunk that was answered with false stays as it is. */
  end(): void;
  /** `unanswered`: the connection, an old one, ended before any byte of an answer. */
  failed(error: unknown, unanswered: boolean): void;
}
