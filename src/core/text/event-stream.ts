import { ByteCollector } from './bytes.js';
import { isHeaderValue } from './characters.js';

/** An event of a `text/event-stream` (WHATWG HTML, section 9.2), its data as received. */
export interface EventBytes {
  /** '' if the stream does not say, which means `message`. */
  readonly event: string;
  /** Lines joined with LF; may share the chunk's memory. Also empty for a block with only `id` or `retry`. */
  readonly data: Uint8Array;
  /** Present if this block set it; '' resets it. Valid for `Last-Event-ID`. */
  readonly id?: string;
  /** Milliseconds to wait before reconnecting, 250 to 300,000; present if this block set it. */
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

/** Extra bytes counted for each line of data, so that a flood of empty lines ends, too. */
const costOfLine = 32;

/**
 * Reads an event stream in chunks split anywhere. Linear time; holds at most one event. An incomplete last event is never
 * returned.
 */
export class EventByteReader {
  readonly #max: number;
  /** The beginning of an incomplete line. */
  readonly #line: ByteCollector;
  /** Data of the current event; a single line is kept in `#only` instead. */
  readonly #data: ByteCollector;
  #only: Uint8Array | undefined;
  #lines = 0;
  /** Whether that line has its own memory, not the chunk's. */
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

  /** Number of complete lines so far. */
  get lines(): number {
    return this.#ended;
  }

  /** Bytes held for the current event. */
  get held(): number {
    return this.#line.size + this.#data.size + (this.#only?.byteLength ?? 0);
  }

  /** The events that this chunk completes; undefined once an event is too large. */
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
      // Each search continues where the last one ended: nothing is searched twice.
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
