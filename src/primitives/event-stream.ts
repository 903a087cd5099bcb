import { isHeaderValue } from './characters.js';

/** One event of a `text/event-stream` (WHATWG HTML, section 9.2). */
export interface ServerSentEvent {
  /** `message` unless the stream says otherwise. */
  readonly event: string;
  /** Lines joined with LF. '' also for a block that brought an `id` or `retry` and no data: nothing to handle. */
  readonly data: string;
  /** Present when this block set it; '' takes the last one back. Fit to be sent as `Last-Event-ID`. */
  readonly id?: string;
  /** Milliseconds to wait before connecting again, 250 to 300,000; present when this block set it. */
  readonly retry?: number;
}

export type EventStreamPart =
  | { readonly ok: true; readonly events: readonly ServerSentEvent[] }
  | { readonly ok: false; readonly problem: 'too_large' };

const largestEvent = 32 * 1024 * 1024;
/** Characters that a held line or piece of a line counts beyond its own, so that a flood of tiny ones ends too. */
const costOfPiece = 8;
const longestId = 1024;
const shortestRetryMs = 250;
const longestRetryMs = 300_000;

/** What has come of the event under way. */
interface Block {
  event: string;
  data: string[];
  id?: string;
  retry?: number;
}

/**
 * Reads an event stream chunk by chunk, cut anywhere. Time is linear in what comes, and what is held is at most
 * one event. An event that the stream breaks off is never given out.
 */
export class EventStreamReader {
  readonly #maxEvent: number;
  readonly #decoder = new TextDecoder('utf-8');
  #line: string[] = [];
  #block: Block = { event: '', data: [] };
  /** What `#block` and `#line` hold, in characters. */
  #blockSize = 0;
  #lineSize = 0;
  #lastWasCr = false;
  #tooLarge = false;

  /** @param maxEvent Most characters of one event. */
  constructor(maxEvent = largestEvent) {
    this.#maxEvent = maxEvent;
  }

  /** The events that this chunk completes. After `too_large` there is no way on. */
  push(chunk: Uint8Array): EventStreamPart {
    if (this.#tooLarge) {
      return { ok: false, problem: 'too_large' };
    }
    const text = this.#decoder.decode(chunk, { stream: true });
    const events: ServerSentEvent[] = [];
    let start = this.#lastWasCr && text.startsWith('\n') ? 1 : 0;
    this.#lastWasCr = text === '' ? this.#lastWasCr : text.endsWith('\r');
    let lf = text.indexOf('\n', start);
    let cr = text.indexOf('\r', start);
    while (!this.#tooLarge && (lf !== -1 || cr !== -1)) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      this.#hold(text.slice(start, end));
      this.#endLine(events);
      start = end === cr && lf === cr + 1 ? end + 2 : end + 1;
      lf = lf !== -1 && lf < start ? text.indexOf('\n', start) : lf;
      cr = cr !== -1 && cr < start ? text.indexOf('\r', start) : cr;
    }
    this.#hold(text.slice(start));
    return this.#tooLarge ? { ok: false, problem: 'too_large' } : { ok: true, events };
  }

  #hold(piece: string): void {
    if (piece === '') {
      return;
    }
    this.#line.push(piece);
    this.#lineSize += piece.length + costOfPiece;
    this.#tooLarge ||= this.#blockSize + this.#lineSize > this.#maxEvent;
  }

  #endLine(events: ServerSentEvent[]): void {
    const line = this.#line.join('');
    this.#line = [];
    this.#lineSize = 0;
    if (line !== '') {
      this.#field(line);
      return;
    }
    const { event, data, ...rest } = this.#block;
    if (data.length > 0 || rest.id !== undefined || rest.retry !== undefined) {
      events.push({ event: event === '' ? 'message' : event, data: data.join('\n'), ...rest });
    }
    this.#block = { event: '', data: [] };
    this.#blockSize = 0;
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') {
      this.#block.data.push(value);
      this.#blockSize += value.length + costOfPiece;
    } else if (name === 'event') {
      this.#block.event = value;
    } else if (name === 'id' && value.length <= longestId && isHeaderValue(value) && value.trim() === value) {
      this.#block.id = value;
    } else if (name === 'retry' && /^[0-9]+$/.test(value)) {
      this.#block.retry = Math.min(Math.max(Number(value), shortestRetryMs), longestRetryMs);
    }
  }
}
