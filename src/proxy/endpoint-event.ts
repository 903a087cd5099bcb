/** In characters; an event that is longer names no address. */
const maxEvent = 8_192;

const byteOrderMark = '\xef\xbb\xbf';

/** One block of an event stream, from the line behind an empty one to the next empty one. */
class Block {
  /** What is held of it, as long as it may be the event that names an address. */
  held = '';
  /** Is it passed on as it comes? */
  passed = false;
  isEndpoint = false;
  /** Where in `held` its data begins and ends, a pair for each line of it. */
  readonly data: [from: number, to: number][] = [];
}

/**
 * Passes an event stream on as it is, but for the addresses that its `endpoint` events name (older transport HTTP+SSE,
 * revision 2024-11-05). What counts is what a reader makes of it (WHATWG HTML, section 9.2.6), in any order and
 * with any line ends. At most one short event is held, until its kind is known.
 */
export class EndpointEvents {
  readonly #pathOf: (address: string) => string | undefined;
  #block = new Block();
  /** The line under way, its beginning if it is long, one character a byte. */
  #line = '';
  #out = '';
  #lastWasCr = false;
  #begun = false;
  #isBroken = false;

  /** @param pathOf Gives the address to pass on instead; undefined: the stream may not go on. */
  constructor(pathOf: (address: string) => string | undefined) {
    this.#pathOf = pathOf;
  }

  /** What can be passed on now; undefined once the stream has named an address that may not be passed on. */
  push(chunk: Uint8Array): Uint8Array | undefined {
    const { buffer, byteOffset, byteLength } = chunk;
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
    let start = 0;
    if (this.#lastWasCr && text.startsWith('\n')) {
      this.#put('\n');
      start = 1;
    }
    if (text !== '') this.#lastWasCr = text.endsWith('\r');
    let lf = text.indexOf('\n', start);
    let cr = text.indexOf('\r', start);
    while (!this.#isBroken && (lf !== -1 || cr !== -1)) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      const next = end === cr && lf === cr + 1 ? end + 2 : end + 1;
      this.#grow(text.slice(start, end));
      this.#endLine(text.slice(end, next));
      start = next;
      if (lf !== -1 && lf < start) lf = text.indexOf('\n', start);
      if (cr !== -1 && cr < start) cr = text.indexOf('\r', start);
    }
    if (!this.#isBroken) this.#grow(text.slice(start));
    return this.#isBroken ? undefined : this.#taken(chunk, text);
  }

  /** What is still held at the stream's end, but for an address that no end of its event has made good. */
  rest(): Uint8Array {
    this.#field();
    const isOpen = this.#block.isEndpoint || this.#isBroken;
    return Buffer.from(isOpen ? '' : this.#out + this.#block.held, 'latin1');
  }

  #taken(chunk: Uint8Array, text: string): Uint8Array {
    const out = this.#out;
    this.#out = '';
    return out === text ? chunk : Buffer.from(out, 'latin1');
  }

  #put(text: string): void {
    if (this.#block.passed || this.#block.held === '') this.#out += text;
    else this.#block.held += text;
  }

  /** More of the line under way. */
  #grow(text: string): void {
    if (text === '') return;
    const block = this.#block;
    if (this.#line.length <= maxEvent) this.#line += text.slice(0, maxEvent + 1);
    if (block.passed) {
      this.#out += text;
      return;
    }
    block.held += text;
    if (block.held.length > maxEvent) this.#pass();
  }

  #endLine(end: string): void {
    const isEmpty = this.#line === '' || (!this.#begun && this.#line === byteOrderMark);
    if (isEmpty) {
      this.#endBlock(end);
    } else {
      this.#field();
      if (this.#block.passed) this.#out += end;
      else this.#block.held += end;
    }
    this.#begun = true;
    this.#line = '';
  }

  #endBlock(end: string): void {
    const { passed, held, isEndpoint, data } = this.#block;
    const [only, other] = data;
    this.#block = new Block();
    if (passed || !isEndpoint || only === undefined) {
      this.#out += passed ? end : held + end;
      return;
    }
    // Two lines of data are one address to a reader that leaves line ends out.
    const path = other === undefined ? this.#pathOf(held.slice(...only)) : undefined;
    if (path === undefined) this.#isBroken = true;
    else this.#out += held.slice(0, only[0]) + path + held.slice(only[1]) + end;
  }

  /** What the line under way says, of which all is there. */
  #field(): void {
    const line = this.#begun || !this.#line.startsWith(byteOrderMark) ? this.#line : this.#line.slice(3);
    const [, name, value = ''] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
    const block = this.#block;
    if (name === 'event') {
      block.isEndpoint = value.length > maxEvent - 16 || value.trim() === 'endpoint';
      if (block.isEndpoint && block.passed) this.#isBroken = true;
      else if (!block.isEndpoint && !block.passed) this.#pass();
    } else if (name === 'data' && !block.passed) {
      block.data.push([block.held.length - value.length, block.held.length]);
    }
  }

  /** Gives up what is held: it is of another kind, or too long, as an event that names an address never is. */
  #pass(): void {
    const block = this.#block;
    if (block.isEndpoint) {
      this.#isBroken = true;
      return;
    }
    block.passed = true;
    this.#out += block.held;
    block.held = '';
  }
}
