const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A line without its end, or how many bytes one had that was too long to be kept. */
export type SplitLine = Uint8Array | 'too_long';

/**
 * Cuts bytes into lines at LF and nowhere else; a CR before it goes with it. Lines that are empty are left out. A line
 * beyond the limit is not kept, and told as such once it ends.
 */
export class LineSplitter {
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #held = 0;
  #tooLong = false;

  /** @param most Most bytes of a line. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The lines that this chunk ends. They share its memory. */
  push(chunk: Uint8Array): readonly SplitLine[] {
    const lines: SplitLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#give(lines);
      start = end + 1;
    }
    this.#hold(start === 0 ? chunk : chunk.subarray(start));
    return lines;
  }

  /** The last line, when its end never came. */
  finish(): readonly SplitLine[] {
    const lines: SplitLine[] = [];
    this.#give(lines);
    return lines;
  }

  #hold(piece: Uint8Array): void {
    if (piece.byteLength === 0) return;
    this.#held += piece.byteLength;
    this.#tooLong ||= this.#held > this.#most;
    if (this.#tooLong) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  #give(lines: SplitLine[]): void {
    if (this.#tooLong) {
      lines.push('too_long');
    } else if (this.#held > 0) {
      const line = joined(this.#pieces, this.#held);
      const whole = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
      if (whole.byteLength > 0) lines.push(whole);
    }
    this.#pieces = [];
    this.#held = 0;
    this.#tooLong = false;
  }
}

/** The pieces as one; a single one is not copied. */
export function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [first, second] = pieces;
  if (first !== undefined && second === undefined) return first;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
