import { ByteCollector } from './bytes.js';
import { isHeaderValue } from './characters.js';

/** One event of a `text/event-stream` (WHATWG HTML, section 9.2), its data as the bytes that came. */
export interface EventBytes {
  /** '' where the stream does not say: `message`. */
  readonly event: string;
  /** Lines joined with LF; they may share the memory of the chunk. Empty also for a block that brought only `id` or `retry`. */
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

const maxId = 1024;
const minRetryMs = 250;
const maxRetryMs = 300_000;

const lineEnd = Uint8Array.of(lineFeed);

/** Bytes that each line of data counts beyond its own, so that a flood of empty lines ends, too. */
const costOfLine = 32;

/**
 * Reads an event stream as bytes, cut anywhere. Time is linear; at most one event is held, in little more memory than its
 * bytes. An event that the stream breaks off is never given out.
 */
export class EventByteReader {
  readonly #max: number;
  /** The beginning of a line whose end has not come. */
  readonly #line: ByteCollector;
  /** The data of the event under way: its one line, as long as it has no more. */
  readonly #data: ByteCollector;
  #only: Uint8Array | undefined;
  #lines = 0;
  /** That line lies in memory of its own, not in the chunk's. */
  #isOwn = false;
  #fields: { event: string; id?: string; retry?: number } = { event: '' };
  #lastWasCr = false;
  #begun = false;
  #isTooLarge = false;
  #ended = 0;

  /** @param max Bytes of one event. @param expected For `ByteCollector` */
  constructor(max: number, expected = 0) {
    this.#max = max;
    this.#line = new ByteCollector(expected);
    this.#data = new ByteCollector(expected);
  }

  /** Lines that have ended so far. */
  get lines(): number {
    return this.#ended;
  }

  /** Bytes of the event under way. */
  get held(): number {
    return this.#line.size + this.#data.size + (this.#only?.byteLength ?? 0);
  }

  /** The events that this chunk completes; undefined where one is too large: then the reading is over. */
  push(chunk: Uint8Array): readonly EventBytes[] | undefined {
    const events: EventBytes[] = [];
    let start = this.#lastWasCr && chunk[0] === lineFeed ? 1 : 0;
    if (chunk.byteLength > 0) this.#lastWasCr = chunk[chunk.byteLength - 1] === carriageReturn;
    let lf = chunk.indexOf(lineFeed, start);
    let cr = chunk.indexOf(carriageReturn, start);
    while (!this.#isTooLarge && (lf !== -1 || cr !== -1)) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      this.#endLine(chunk.subarray(start, end), events);
      start = end === cr && lf === cr + 1 ? end + 2 : end + 1;
      // Each is searched only from where it was found last: nothing is searched twice.
      if (lf !== -1 && lf < start) lf = chunk.indexOf(lineFeed, start);
      if (cr !== -1 && cr < start) cr = chunk.indexOf(carriageReturn, start);
    }
    if (start < chunk.byteLength) this.#line.push(chunk.subarray(start));
    if (this.#only !== undefined && !this.#isOwn) this.#keepOnly(this.#only);
    this.#isTooLarge ||= this.#line.size + this.#weight() > this.#max;
    return this.#isTooLarge ? undefined : events;
  }

  #weight(): number {
    return this.#data.size + (this.#only?.byteLength ?? 0) + Math.max(0, this.#lines - 1) * costOfLine;
  }

  #endLine(rest: Uint8Array, events: EventBytes[]): void {
    this.#ended += 1;
    let line = rest;
    const isOwn = this.#line.size > 0;
    if (isOwn) {
      this.#line.push(rest);
      line = this.#line.take();
    }
    if (!this.#begun) {
      this.#begun = true;
      if (line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) line = line.subarray(3);
    }
    if (line.byteLength > 0) this.#field(line, isOwn);
    else this.#endEvent(events);
  }

  #endEvent(events: EventBytes[]): void {
    const { event, id, retry } = this.#fields;
    const isPlain = id === undefined && retry === undefined;
    if (this.#lines > 0 || !isPlain) {
      const data = this.#only ?? this.#data.take();
      // Most events have only these two: objects of one shape.
      events.push(isPlain ? { event, data } : { ...this.#fields, data });
    }
    this.#only = undefined;
    this.#lines = 0;
    if (!isPlain || event !== '') this.#fields = { event: '' };
  }

  #field(line: Uint8Array, isOwn: boolean): void {
    // d a t a
    const isData = line[0] === 0x64 && line[1] === 0x61 && line[2] === 0x74 && line[3] === 0x61;
    if (isData && (line.byteLength === 4 || line[4] === colon)) {
      this.#addData(line.subarray(line[5] === space ? 6 : 5), isOwn);
      return;
    }
    const at = line.indexOf(colon);
    const nameEnd = at === -1 ? line.byteLength : at;
    const from = at === -1 ? line.byteLength : line[at + 1] === space ? at + 2 : at + 1;
    if (nameEnd === 0 || nameEnd > 5 || line.byteLength > maxId + 8) return;
    const value = textIn(line, from, line.byteLength);
    switch (textIn(line, 0, nameEnd)) {
      case 'event':
        this.#fields.event = value;
        break;
      case 'id':
        if (value.length <= maxId && isHeaderValue(value) && value.trim() === value) this.#fields.id = value;
        break;
      case 'retry':
        if (/^[0-9]+$/.test(value)) this.#fields.retry = Math.min(Math.max(Number(value), minRetryMs), maxRetryMs);
    }
  }

  #addData(value: Uint8Array, isOwn: boolean): void {
    this.#lines += 1;
    if (this.#lines === 1) {
      this.#only = value;
      this.#isOwn = isOwn;
      return;
    }
    if (this.#only !== undefined) this.#keepOnly(this.#only);
    this.#data.push(lineEnd);
    this.#data.push(value);
    this.#isTooLarge ||= this.#weight() > this.#max;
  }

  #keepOnly(value: Uint8Array): void {
    this.#data.push(value);
    this.#only = undefined;
  }
}

function textIn(line: Uint8Array, from: number, to: number): string {
  return Buffer.from(line.buffer, line.byteOffset + from, to - from).toString();
}
