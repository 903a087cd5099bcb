import { ChunkedBody } from './chunked-body.js';
import { type ResponseHead, readResponseHead } from './heads.js';

/** Bytes of a head, its empty line included. */
const maxHead = 16_384;

/** How much is decoded first: most heads are shorter. In bytes. */
const usualHead = 2_048;

const maxInformational = 10;

/** Why bytes are no response. `answer_cut_off`: it broke off. `end_unproven`: nobody can tell whether it did. */
export type ResponseProblem = 'not_http' | 'head_too_large' | 'informational_flood' | 'answer_cut_off' | 'end_unproven';

/** Proves that a body is whole which the end of its connection ends. */
export interface EndProof {
  readonly isProven: boolean;
  push(chunk: Uint8Array): void;
}

/** Gives the proof for a response; undefined where the end of the connection may end any body. */
export type ProveEnd = (status: number, contentType: string | undefined) => EndProof | undefined;

/** Called for one response as it is read. May call `stop` at any time. */
export interface ResponseSink {
  responseHead(head: ResponseHead): void;
  /** @param chunk a view of the bytes that were pushed */
  responseData(chunk: Uint8Array): void;
  /** @param idleMs how long the connection may lie idle now; 0 where it can carry nothing more */
  responseOver(idleMs: number): void;
  /** @param unanswered nothing of a response had come */
  responseBroken(problem: ResponseProblem, unanswered: boolean): void;
}

type Part = 'nothing' | 'head' | 'length' | 'chunked' | 'close';

/**
 * Reads the responses of one connection, one after another, from bytes cut anywhere (RFC 9112): strictly, so that no other
 * parser sees another end of one.
 */
export class ResponseReader {
  readonly #sink: ResponseSink;
  readonly #proveEnd: ProveEnd;
  readonly #take: (chunk: Uint8Array) => void;
  #part: Part = 'nothing';
  #isHead = false;
  #text = '';
  #informational = 0;
  #left = 0;
  #idleMs = 0;
  #chunked = new ChunkedBody();
  #proof: EndProof | undefined;
  /** The latest head: servers repeat theirs, and the same text is the same head. */
  #lastText = '';
  #last: ResponseHead | undefined;

  constructor(sink: ResponseSink, proveEnd: ProveEnd) {
    this.#sink = sink;
    this.#proveEnd = proveEnd;
    this.#take = (chunk) => {
      if (this.#part === 'chunked') sink.responseData(chunk);
    };
  }

  /** Nothing of a response has come so far. */
  get isUntouched(): boolean {
    return this.#part === 'head' && this.#text === '' && this.#informational === 0;
  }

  /** From now on a response to a request of that method is expected. */
  begin(method: string): void {
    this.#part = 'head';
    this.#isHead = method === 'HEAD';
    this.#text = '';
    this.#informational = 0;
  }

  /** Ends the reading: the sink is not called any more. */
  stop(): void {
    this.#part = 'nothing';
  }

  /** Bytes behind the end of a response are left out: the connection is closed for them. @param bytes are written to */
  push(bytes: Buffer): void {
    if (this.#part === 'head') this.#pushHead(bytes);
    else this.#pushPart(bytes, 0);
  }

  /** The other side has closed. */
  close(): void {
    if (this.#part === 'close' && this.#proof?.isProven !== false) this.#over(false);
    else if (this.#part === 'close') this.#broken('end_unproven');
    else if (this.#part !== 'nothing') this.#broken('answer_cut_off');
  }

  #pushHead(bytes: Buffer): void {
    let at = 0;
    let goesOn = true;
    while (goesOn && at < bytes.length) {
      const had = this.#text.length;
      const to = Math.min(bytes.length, at + (had === 0 ? usualHead : maxHead));
      const text = this.#text + bytes.toString('latin1', at, to);
      const end = text.indexOf('\r\n\r\n', Math.max(0, had - 3));
      if ((end === -1 ? text.length : end + 4) > maxHead) {
        goesOn = this.#broken('head_too_large');
      } else if (end !== -1) {
        at += end + 4 - had;
        this.#text = '';
        goesOn = this.#takeHead(this.#read(text.slice(0, end + 2)), bytes, at);
      } else if (isBeginning(text)) {
        at = to;
        this.#text = text;
      } else {
        goesOn = this.#broken('not_http');
      }
    }
  }

  /** False where no other head follows this one: then these bytes have been used, maybe for another request. */
  #takeHead(head: ResponseHead | undefined, bytes: Buffer, at: number): boolean {
    if (head === undefined || head.status === 101) return this.#broken('not_http');
    if (head.status >= 200) {
      this.#pushBody(head, bytes, at);
      return false;
    }
    this.#informational += 1;
    return this.#informational <= maxInformational || this.#broken('informational_flood');
  }

  #read(text: string): ResponseHead | undefined {
    if (text !== this.#lastText) {
      this.#last = readResponseHead(text);
      this.#lastText = text;
    }
    return this.#last;
  }

  #pushBody(head: ResponseHead, bytes: Buffer, at: number): void {
    const { framing, idleMs } = head;
    const kind = this.#isHead ? 'none' : framing.kind;
    this.#idleMs = idleMs;
    this.#left = framing.kind === 'length' && kind === 'length' ? framing.length : 0;
    this.#part = kind === 'none' ? 'length' : kind;
    if (kind === 'chunked') this.#chunked = new ChunkedBody();
    this.#proof = kind === 'close' ? this.#proveEnd(head.status, typeOf(head.lines)) : undefined;
    this.#sink.responseHead(head);
    this.#pushPart(bytes, at);
  }

  /** The sink may have wanted no more than the head: `#part` is as it is now. */
  #pushPart(bytes: Buffer, at: number): void {
    if (this.#part === 'length') this.#pushLength(bytes, at);
    else if (at === bytes.length) return;
    else if (this.#part === 'chunked') this.#pushChunked(bytes, at);
    else if (this.#part === 'close') {
      const chunk = at === 0 ? bytes : bytes.subarray(at);
      this.#proof?.push(chunk);
      this.#sink.responseData(chunk);
    }
  }

  #pushLength(bytes: Buffer, at: number): void {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    if (end > at) this.#sink.responseData(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#part === 'length' && this.#left === 0) this.#over(end === bytes.length);
  }

  #pushChunked(bytes: Buffer, at: number): void {
    const progress = this.#chunked.push(at === 0 ? bytes : bytes.subarray(at), this.#take);
    if (this.#part !== 'chunked') return;
    if (progress === undefined) this.#broken('not_http');
    else if (progress.ended) this.#over(at + progress.used === bytes.length);
  }

  /** What follows the end of a response belongs to nothing: such a connection carries no other request. */
  #over(isClean: boolean): void {
    const idleMs = isClean ? this.#idleMs : 0;
    this.#part = 'nothing';
    this.#sink.responseOver(idleMs);
  }

  #broken(problem: ResponseProblem): false {
    const unanswered = this.isUntouched;
    this.#part = 'nothing';
    this.#sink.responseBroken(problem, unanswered);
    return false;
  }
}

function typeOf(lines: ResponseHead['lines']): string | undefined {
  const at = lines.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === 'content-type');
  return at === -1 ? undefined : lines[at + 1];
}

/** Can this be how a head begins? What cannot is refused at once, and not when no more comes. */
function isBeginning(text: string): boolean {
  const start = 'HTTP/1.';
  const isStart = text.length < start.length ? start.startsWith(text) : text.startsWith(start);
  return isStart && !/(?:^|[^\r])\n/.test(text);
}
