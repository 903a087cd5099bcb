import { isHeaderValue } from './characters.js';
import { knownText } from './known-text.js';
import { joined } from './line-splitter.js';

/** One event of a `text/event-stream` (WHATWG HTML, section 9.2), its data as the bytes that came. */
export interface EventBytes {
  /** '' where the stream does not say: `message`. */
  readonly event: string;
  /** Lines joined with LF; they may share the memory of the chunk. */
  readonly data: Uint8Array;
  /** Present when this block set it; '' takes the last one back. Fit to be sent as `Last-Event-ID`. */
  readonly id?: string;
  /** Milliseconds to wait before connecting again, 250 to 300,000; present when this block set it. */
  readonly retry?: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const longestId = 1024;
const shortestRetryMs = 250;
const longestRetryMs = 300_000;
/** Bytes that a held piece counts beyond its own, so that a flood of tiny ones ends too. */
const costOfPiece = 32;
const lineEnd = Uint8Array.of(lineFeed);

/** Reads an event stream as bytes, cut anywhere. Time is linear in what comes; what is held is at most one event. */
export class EventByteReader {
  readonly #most: number;
  #line: Uint8Array[] = [];
  #lineSize = 0;
  #data: Uint8Array[] = [];
  #dataSize = 0;
  #fields: { event: string; id?: string; retry?: number } = { event: '' };
  #lastWasCr = false;
  #begun = false;
  #held = 0;

  /** @param most Most bytes of one event. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that are held of the event under way. */
  get held(): number {
    return this.#held;
  }

  /** The events that this chunk completes; undefined where one is too large, and then there is no way on. */
  push(chunk: Uint8Array): readonly EventBytes[] | undefined {
    const events: EventBytes[] = [];
    let start = this.#lastWasCr && chunk[0] === lineFeed ? 1 : 0;
    if (chunk.byteLength > 0) this.#lastWasCr = chunk.at(-1) === carriageReturn;
    const hasCr = chunk.indexOf(carriageReturn) !== -1;
    for (;;) {
      const lf = chunk.indexOf(lineFeed, start);
      const cr = hasCr ? chunk.indexOf(carriageReturn, start) : -1;
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      if (end === -1) break;
      this.#endLine(chunk.subarray(start, end), events);
      start = end === cr && lf === cr + 1 ? end + 2 : end + 1;
    }
    if (start < chunk.byteLength) {
      this.#line.push(chunk.subarray(start));
      this.#lineSize += chunk.byteLength - start;
      this.#held += chunk.byteLength - start + costOfPiece;
    }
    return this.#held > this.#most ? undefined : events;
  }

  #endLine(rest: Uint8Array, events: EventBytes[]): void {
    let line = rest;
    if (this.#line.length > 0) {
      this.#line.push(rest);
      line = joined(this.#line, this.#lineSize + rest.byteLength);
      this.#line = [];
      this.#lineSize = 0;
    }
    if (!this.#begun) {
      this.#begun = true;
      if (line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) line = line.subarray(3);
    }
    if (line.byteLength > 0) this.#field(line);
    else this.#endEvent(events);
  }

  #endEvent(events: EventBytes[]): void {
    const { event, id, retry } = this.#fields;
    const isPlain = id === undefined && retry === undefined;
    if (this.#data.length > 0 || !isPlain) {
      const data = joined(this.#data, this.#dataSize);
      // Most have no more than this, and then are all made alike.
      events.push(isPlain ? { event, data } : { ...this.#fields, data });
    }
    this.#data = [];
    this.#dataSize = 0;
    if (!isPlain || event !== '') this.#fields = { event: '' };
    this.#held = 0;
  }

  #field(line: Uint8Array): void {
    const at = line.indexOf(colon);
    const nameEnd = at === -1 ? line.byteLength : at;
    const from = at === -1 ? line.byteLength : line[at + 1] === space ? at + 2 : at + 1;
    // d a t a
    if (nameEnd === 4 && line[0] === 0x64 && line[1] === 0x61 && line[2] === 0x74 && line[3] === 0x61) {
      this.#addData(line.subarray(from));
      return;
    }
    if (nameEnd === 0 || nameEnd > 5 || line.byteLength > longestId + 8) return;
    const value = textIn(line, from, line.byteLength);
    switch (textIn(line, 0, nameEnd)) {
      case 'event':
        this.#fields.event = value;
        break;
      case 'id':
        if (value.length <= longestId && isHeaderValue(value) && value.trim() === value)
          this.#fields.id = value;
        break;
      case 'retry':
        if (/^[0-9]+$/.test(value)) {
          this.#fields.retry = Math.min(Math.max(Number(value), shortestRetryMs), longestRetryMs);
        }
    }
  }

  #addData(value: Uint8Array): void {
    if (this.#data.length > 0) {
      this.#data.push(lineEnd);
      this.#dataSize += 1;
    }
    this.#data.push(value);
    this.#dataSize += value.byteLength;
    this.#held += value.byteLength + costOfPiece;
  }
}

function textIn(line: Uint8Array, from: number, to: number): string {
  return knownText(line, from, to) ?? new TextDecoder().decode(line.subarray(from, to));
}
