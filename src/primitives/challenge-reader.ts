/** What a header line of challenges is made of, piece by piece. */
export type ChallengePiece =
  | { readonly kind: 'scheme'; readonly scheme: string }
  | { readonly kind: 'token68'; readonly token68: string }
  | { readonly kind: 'parameter'; readonly name: string; readonly value: string }
  /** A parameter whose value is malformed. */
  | { readonly kind: 'bad_parameter' }
  /** Something that is neither scheme nor parameter: nobody knows whom the following parameters are for. */
  | { readonly kind: 'junk' };

const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const token68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const whiteSpace = /[ \t]*/y;
const separators = /[ \t,]*/y;
const quotedString = /"((?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\uffff]|\\[\t\x20-\x7e\x80-\uffff])*)"/y;
const endOfElement = /[ \t]*(?=,|$)/y;
/** The rest of an element that went wrong; a comma inside quotes does not end it. */
const rest = /(?:[^",]|"(?:[^"\\]|\\.)*(?:"|\\?$))*/sy;

/**
 * Takes one `WWW-Authenticate` line apart (RFC 9110 sections 5.6 and 11). No pattern has two ways to match the
 * same text, and the position only moves forward but for one look ahead per piece, so the time is linear.
 */
export class ChallengeReader {
  readonly #line: string;
  #at = 0;
  /** Set after a scheme and white space: a token68 may stand here. */
  #afterScheme = false;

  constructor(line: string) {
    this.#line = line;
  }

  /** The next piece; undefined at the end of the line. */
  next(): ChallengePiece | undefined {
    const afterScheme = this.#afterScheme;
    this.#afterScheme = false;
    if (afterScheme) {
      const found = this.#take(token68);
      if (found !== undefined) {
        return { kind: 'token68', token68: found };
      }
    } else {
      this.#take(separators);
    }
    if (this.#at >= this.#line.length) {
      return undefined;
    }
    const word = this.#take(token);
    return word === undefined ? this.#junk() : this.#afterToken(word.toLowerCase(), afterScheme);
  }

  #afterToken(word: string, afterScheme: boolean): ChallengePiece {
    const space = this.#take(whiteSpace) ?? '';
    const character = this.#line[this.#at];
    if (character === '=') {
      this.#at++;
      return this.#parameter(word);
    }
    const ended = character === undefined || character === ',';
    if (afterScheme || (space === '' && !ended)) {
      return this.#junk();
    }
    this.#afterScheme = !ended;
    return { kind: 'scheme', scheme: word };
  }

  #parameter(name: string): ChallengePiece {
    this.#take(whiteSpace);
    const literal = this.#take(quotedString);
    const value = literal === undefined ? this.#take(token) : unquoted(literal);
    if (value === undefined || this.#take(endOfElement) === undefined) {
      this.#take(rest);
      return { kind: 'bad_parameter' };
    }
    return { kind: 'parameter', name, value };
  }

  #junk(): ChallengePiece {
    this.#take(rest);
    return { kind: 'junk' };
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#line)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

function unquoted(literal: string): string {
  return literal.slice(1, -1).replace(/\\(.)/gs, '$1');
}
