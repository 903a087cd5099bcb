import { ByteCollector } from '../core/text/bytes.js';
import { EventByteReader, type EventBytes } from '../core/text/event-stream.js';
import { openBrace } from '../core/text/json-scan.js';
import { filterTools } from '../mcp/lending/tool-messages.js';
import type { ToolPolicy } from '../mcp/lending/tool-policy.js';
import type { OutgoingResponse } from '../relay/server-response.js';
import { proxyLimits } from './limits.js';
import { type Refusal, type ResponseOut, refusal, refuse } from './refusal.js';

const lineFeed = Buffer.from('\n');

/**
 * A response without the tools that are not lent. JSON is read whole, and of an event stream each event; what cannot be
 * read in one way alone is not passed on.
 */
export class LentResponse implements ResponseOut {
  /** Ids of the requests that this responds to, and that ask for the tools. */
  lists: ReadonlySet<string> = new Set();
  readonly #out: ResponseOut;
  readonly #policy: ToolPolicy;
  readonly #id: string;
  /** As `LentWatcher.hold`. */
  readonly #hold: (bytes: number) => boolean;
  readonly #pieces = new ByteCollector();
  #size = 0;
  #head: { readonly out: OutgoingResponse; readonly close: boolean } | undefined;
  #events: EventByteReader | undefined;
  /** It is not passed on, whatever follows. */
  isBroken = false;

  constructor(out: ResponseOut, policy: ToolPolicy, id: string, hold: (bytes: number) => boolean) {
    this.#out = out;
    this.#policy = policy;
    this.#id = id;
    this.#hold = hold;
  }

  /** Instead of what cannot be passed on. What a status says counts without the body: 404 is how a session ends. */
  get refusal(): Refusal {
    const status = this.#head?.out.status ?? 0;
    return { ...refusal('response_not_lent'), ...(status >= 400 ? { status } : {}) };
  }

  get begun(): boolean {
    return this.#out.begun;
  }

  head(out: OutgoingResponse, close: boolean): void {
    this.#head = { out, close };
    this.#pieces.take(); // of a response that broke off
    this.#size = 0;
    this.isBroken = /^content-encoding:(?![\t ]*(?:identity)?[\t ]*\r$)/im.test(out.headers);
    if (this.isBroken || !/^content-type:.*text\/event-stream/im.test(out.headers)) return;
    this.#events = new EventByteReader(proxyLimits.validatedBody);
    this.#out.head({ ...out, length: undefined }, close);
  }

  data(piece: Uint8Array): boolean {
    if (this.isBroken) return true;
    if (this.#events !== undefined) return this.#pass(this.#events, piece);
    this.#size += piece.byteLength;
    const isKept = this.#size <= proxyLimits.wholeBody || this.#hold(piece.byteLength);
    this.isBroken = this.#size > proxyLimits.validatedBody || !isKept;
    if (!this.isBroken) this.#pieces.push(piece);
    return true;
  }

  end(): void {
    const { out, close } = this.#head ?? {};
    if (this.#events !== undefined) {
      if (!this.isBroken) this.#out.end();
      return;
    }
    const whole = this.isBroken ? undefined : this.#filteredBody(out?.status ?? 0);
    if (whole === undefined || out === undefined) {
      refuse(this.#out, { ...this.refusal, close: close === true }, this.#id);
      return;
    }
    this.#out.head(whole.byteLength === 0 ? out : { ...out, length: whole.byteLength }, close === true);
    this.#out.data(whole);
    this.#out.end();
  }

  breakOff(): void {
    this.#out.breakOff();
  }

  /** Undefined: not to be passed on. An error page is no list, and nor are words without a brace, such as “Accepted”. */
  #filteredBody(status: number): Uint8Array | undefined {
    const whole = this.#pieces.take();
    if (whole.byteLength === 0) return whole;
    const isPage = (status >= 400 && whole[0] === 0x3c) || !whole.includes(openBrace);
    return this.#filtered(whole) ?? (isPage ? whole : undefined);
  }

  #filtered(text: Uint8Array): Uint8Array | undefined {
    return filterTools(this.#policy, text, (id) => this.lists.has(id));
  }

  #pass(reader: EventByteReader, piece: Uint8Array): boolean {
    const before = reader.lines;
    const parts = reader.push(piece)?.map((event) => this.#event(event));
    if (parts === undefined || parts.includes(undefined)) {
      this.isBroken = true;
      this.#out.breakOff();
      return true;
    }
    const isComment = parts.length === 0 && reader.lines > before && reader.held === 0;
    if (isComment) return this.#out.data(Buffer.from(':\n')); // it keeps the connection alive
    return this.#out.data(Buffer.concat(parts.filter((part) => part !== undefined)));
  }

  /** The event as the caller may have it; undefined: the stream does not go on. */
  #event({ event, data, id, retry }: EventBytes): Uint8Array | undefined {
    const isMessage = event === '' || event === 'message';
    const text = data.byteLength === 0 ? data : (this.#filtered(data) ?? (isMessage ? undefined : data));
    if (text === undefined) return undefined;
    const fields = [
      ...(event === '' ? [] : [`event: ${event}\n`]),
      ...(id === undefined ? [] : [`id: ${id}\n`]),
      ...(retry === undefined ? [] : [`retry: ${retry}\n`]),
    ];
    return Buffer.concat([Buffer.from(fields.join('')), ...dataLines(text), lineFeed]);
  }
}

function dataLines(text: Uint8Array): readonly Uint8Array[] {
  if (text.byteLength === 0) return [];
  const lines: Uint8Array[] = [];
  for (let from = 0; from <= text.byteLength; ) {
    const end = text.indexOf(0x0a, from);
    const to = end === -1 ? text.byteLength : end;
    lines.push(Buffer.from('data: '), text.subarray(from, to), lineFeed);
    from = to + 1;
  }
  return lines;
}
