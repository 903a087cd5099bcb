import { StringDecoder } from 'node:string_decoder';
import { printable } from '../../core/text/printable.js';

/** What the keys typed so far make of the line. */
export type Typed =
  | { readonly kind: 'more'; readonly echo: string }
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'interrupt' };

/** Longest line, in characters; what is typed beyond is dropped. */
const longestLine = 65_536;

const pasteStart = '\x1b[200~';

const pasteEnd = '\x1b[201~';

const escapeKey = '\x1b';

/** What follows ESC in a control sequence (CSI, SS3, or a key), or in the beginning of one. */
const sequence = /^(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^[O])/;

const unfinished = /^(?:\[[0-?]*[ -/]*|O)?$/;

/**
 * A line being typed at a terminal in raw mode: `node:readline` would end it at a bare CR, and the terminal's own
 * editing cuts it at 4,095 bytes, which a pasted redirect URL may exceed. Understands Enter, Backspace, Ctrl-U, Ctrl-C,
 * Ctrl-D and bracketed paste, in which a line break is a character like any other.
 */
export class LineEditor {
  readonly #decoder = new StringDecoder('utf8');
  #pending = '';
  #line: string[] = [];
  #pasting = false;

  /** Takes bytes as they come; call it again with none left until it says `more`. */
  push(bytes: Uint8Array): Typed {
    this.#pending += this.#decoder.write(Buffer.from(bytes));
    let echo = '';
    while (this.#pending !== '' && !this.#isUnfinished()) {
      const step = this.#pasting ? this.#paste() : this.#key();
      if (typeof step !== 'string') return step;
      echo += step;
    }
    return { kind: 'more', echo };
  }

  /** What was typed ahead, for the next question. */
  get rest(): Uint8Array {
    return Buffer.from(this.#pending);
  }

  #isUnfinished(): boolean {
    return this.#pending.startsWith(escapeKey) && unfinished.test(this.#pending.slice(1));
  }

  #key(): string | Exclude<Typed, { kind: 'more' }> {
    if (this.#pending.startsWith(pasteStart)) {
      this.#take(pasteStart.length);
      this.#pasting = true;
      return '';
    }
    if (this.#pending.startsWith(escapeKey)) {
      const [found = ''] = sequence.exec(this.#pending.slice(1)) ?? [];
      this.#take(1 + found.length);
      return '';
    }
    const character = this.#take(String.fromCodePoint(this.#pending.codePointAt(0) ?? 0).length);
    switch (character) {
      case '\r':
      case '\n':
        return { kind: 'line', line: this.#line.join('') };
      case '\x03':
        return { kind: 'interrupt' };
      case '\x04':
        return this.#line.length === 0 ? { kind: 'end' } : '';
      case '\x7f':
      case '\b':
        return this.#line.pop() === undefined ? '' : '\b \b';
      case '\x15':
        return '\b \b'.repeat(this.#line.splice(0).length);
      default:
        return character < ' ' ? '' : this.#add(character);
    }
  }

  #paste(): string {
    if (this.#pending.startsWith(pasteEnd)) {
      this.#take(pasteEnd.length);
      this.#pasting = false;
      while (this.#line.at(-1) === '\n' || this.#line.at(-1) === '\r') {
        this.#line.pop();
      }
      return '';
    }
    return this.#add(this.#take(String.fromCodePoint(this.#pending.codePointAt(0) ?? 0).length));
  }

  #add(character: string): string {
    if (this.#line.length >= longestLine) return '';
    this.#line.push(character);
    return printable(character) === character ? character : '?';
  }

  #take(length: number): string {
    const taken = this.#pending.slice(0, length);
    this.#pending = this.#pending.slice(length);
    return taken;
  }
}
