import { ByteCollector, withoutMark } from '../../core/text/bytes.js';

const lineFeed = 0x0a;

const carriageReturn = 0x0d;

const space = 0x20;

const tab = 0x09;

/** A line without its end. */
export type SplitLine = Uint8Array | 'too_long';

/**
 * Cuts bytes into lines at LF and nowhere else; a CR before it goes with it. Blank lines are left out, and so is a byte
 * order mark before the first one. A line beyond the limit is not kept, and given as `too_long` once it ends.
 */
export class LineSplitter {
  readonly #max: number;
  readonly #begun = new ByteCollector();
  #tooLong = false;
  #isFirst = true;

  /** @param most Most bytes of a line. */
  constructor(max: number) {
    this.#max = max;
  }

  /** The lines that this chunk ends. They share its memory. */
  push(chunk: Uint8Array): readonly SplitLine[] {
    const lines: SplitLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#end(chunk.subarray(start, end), lines);
      start = end + 1;
    }
    if (start < chunk.byteLength && this.#fits(chunk.byteLength - start)) this.#begun.push(chunk.subarray(start));
    return lines;
  }

  finish(): readonly SplitLine[] {
    const lines: SplitLine[] = [];
    this.#end(nothing, lines);
    return lines;
  }

  #fits(more: number): boolean {
    this.#tooLong ||= this.#begun.size + more > this.#max;
    if (this.#tooLong) this.#begun.clear();
    return !this.#tooLong;
  }

  #end(rest: Uint8Array, lines: SplitLine[]): void {
    if (this.#fits(rest.byteLength)) this.#give(rest, lines);
    else lines.push('too_long');
    this.#tooLong = false;
    this.#isFirst = false;
  }

  #give(rest: Uint8Array, lines: SplitLine[]): void {
    let line = rest;
    if (this.#begun.size > 0) {
      this.#begun.push(rest);
      line = this.#begun.take();
    }
    if (this.#isFirst) line = withoutMark(line);
    const whole = line[line.byteLength - 1] === carriageReturn ? line.subarray(0, -1) : line;
    if (whole.some((byte) => byte !== space && byte !== tab && byte !== carriageReturn)) lines.push(whole);
  }
}

const nothing = new Uint8Array(0);
