/** Longest line of a chunk's size with its extensions, and longest trailer section, in bytes. */
const maxLine = 1_024;
const maxTrailers = 8_192;

const lf = 0x0a;
const cr = 0x0d;

/** Hex digits, then extensions: a token, maybe with a value (RFC 9112 section 7.1.1), without blanks around it. */
const sizeLine =
  /^([0-9A-Fa-f]{1,12})(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"))?)*$/;

/** What frames a message is no trailer (RFC 9110 section 6.5.1). */
const trailerLine = /^(?!(?:content-length|transfer-encoding):)[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/i;

/** How much of a piece was used. `ended`: what follows belongs to the next message. */
export interface ChunkedProgress {
  readonly used: number;
  readonly ended: boolean;
}

type Part = 'size' | 'data' | 'end of data' | 'trailers';

/** A part of at least this length is given by itself; shorter ones are moved together. In bytes. */
const longPart = 4_096;

/**
 * Takes the chunked coding off a body as it comes (RFC 9112 section 7.1): strictly, so that no other parser sees another
 * end. Trailers are read and left out.
 */
export class ChunkedBody {
  #part: Part = 'size';
  /** Bytes of this chunk that are still to come. */
  #left = 0;
  /** The beginning of a line whose end has not come yet. */
  #line = '';
  #trailers = 0;
  #chunks = 0;
  /** Where what is to be given next begins and ends in the piece. */
  #from = 0;
  #to = 0;

  /** How many chunks the latest piece had: what it cost. */
  get chunks(): number {
    return this.#chunks;
  }

  /**
   * Undefined when the body is malformed.
   * @param piece is written to: short parts are moved together, so that many of them cost no more than one
   * @param take gets the body, in views into `piece`
   */
  push(piece: Uint8Array, take: (data: Uint8Array) => void): ChunkedProgress | undefined {
    this.#from = 0;
    this.#to = 0;
    this.#chunks = 0;
    const progress = this.#read(piece, take);
    this.#give(piece, take);
    return progress;
  }

  #read(piece: Uint8Array, take: (data: Uint8Array) => void): ChunkedProgress | undefined {
    let at = 0;
    while (at < piece.length) {
      if (this.#part === 'data') {
        const end = Math.min(piece.length, at + this.#left);
        this.#left -= end - at;
        if (this.#left === 0) this.#part = 'end of data';
        this.#add(piece, at, end, take);
        this.#chunks += 1;
        at = end;
        continue;
      }
      const past = this.#line === '' ? this.#pastPlainLine(piece, at) : -1;
      if (past !== -1) {
        at = past;
        continue;
      }
      const end = piece.indexOf(lf, at);
      const line = this.#lineUntil(piece, at, end === -1 ? piece.length : end);
      if (line === undefined) return undefined;
      if (end === -1) return { used: piece.length, ended: false };
      at = end + 1;
      const next = this.#next(line);
      if (next === undefined) return undefined;
      if (next === 'over') return { used: at, ended: true };
      this.#part = next;
    }
    return { used: at, ended: false };
  }

  #add(piece: Uint8Array, at: number, end: number, take: (data: Uint8Array) => void): void {
    if (this.#from === this.#to || end - at >= longPart) {
      this.#give(piece, take);
      this.#from = at;
      this.#to = end;
    } else if (end - at === 1) {
      piece[this.#to] = piece[at] ?? 0;
      this.#to += 1;
    } else {
      piece.copyWithin(this.#to, at, end);
      this.#to += end - at;
    }
  }

  #give(piece: Uint8Array, take: (data: Uint8Array) => void): void {
    const from = this.#from;
    this.#from = this.#to;
    if (from < this.#to) take(piece.subarray(from, this.#to));
  }

  /** Past a plain line, a size or the end of a chunk, as nearly all are; -1 for others, and where it is cut. */
  #pastPlainLine(piece: Uint8Array, at: number): number {
    let next = at;
    let size = 0;
    if (this.#part === 'size') {
      for (let digit = hexDigit(piece[next]); digit !== -1 && next < at + 8; digit = hexDigit(piece[next])) {
        size = size * 16 + digit;
        next += 1;
      }
      if (size === 0) return -1;
    } else if (this.#part !== 'end of data') {
      return -1;
    }
    if (piece[next] !== cr || piece[next + 1] !== lf) return -1;
    this.#left = size;
    this.#part = size === 0 ? 'size' : 'data';
    return next + 2;
  }

  /** The line up to here; with its end in this piece it must end in CR. Undefined when it is too long. */
  #lineUntil(piece: Uint8Array, from: number, to: number): string | undefined {
    if (this.#line.length + to - from > maxLine) return undefined;
    let text = this.#line;
    for (let at = from; at < to; at += 1) text += String.fromCharCode(piece[at] ?? 0);
    this.#line = to < piece.length ? '' : text;
    return text;
  }

  #next(line: string): Part | 'over' | undefined {
    if (line.charCodeAt(line.length - 1) !== cr) return undefined;
    const text = line.slice(0, -1);
    if (this.#part === 'end of data') return text === '' ? 'size' : undefined;
    if (this.#part === 'size') {
      const found = sizeLine.exec(text);
      if (found === null) return undefined;
      this.#left = Number.parseInt(found[1] ?? '', 16);
      return this.#left === 0 ? 'trailers' : 'data';
    }
    if (text === '') return 'over';
    this.#trailers += line.length;
    return this.#trailers <= maxTrailers && trailerLine.test(text) ? 'trailers' : undefined;
  }
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
