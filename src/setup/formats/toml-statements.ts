/** One statement of a TOML text, and where it stands (offsets in UTF-16 units, `end` behind its line ending). */
export type TomlStatement =
  | { readonly kind: 'blank'; readonly start: number; readonly end: number }
  | {
      readonly kind: 'table' | 'array';
      readonly path: readonly string[];
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly kind: 'pair';
      readonly path: readonly string[];
      readonly start: number;
      readonly end: number;
      readonly valueStart: number;
      readonly valueEnd: number;
    };

/**
 * The statements of a TOML 1.0 text in order: headers, pairs, and blank lines with or without a comment. Values are
 * not judged, only their ends are found. Undefined when it is no such text.
 */
export function tomlStatements(text: string): readonly TomlStatement[] | undefined {
  const reader = new StatementReader(text);
  const statements: TomlStatement[] = [];
  try {
    for (;;) {
      const statement = reader.next();
      if (statement === undefined) return statements;
      statements.push(statement);
    }
  } catch (cause) {
    if (cause instanceof NotToml) return undefined;
    throw cause;
  }
}

class NotToml {}

class StatementReader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith('\ufeff') ? 1 : 0;
  }

  next(): TomlStatement | undefined {
    const start = this.#at;
    if (start >= this.#text.length) return undefined;
    this.#blanks();
    const first = this.#text[this.#at];
    if (first === undefined || first === '#' || first === '\n' || first === '\r') {
      return { kind: 'blank', start, end: this.#lineEnd() };
    }
    if (first === '[') {
      const isArray = this.#text[this.#at + 1] === '[';
      this.#at += isArray ? 2 : 1;
      const path = this.#path();
      this.#expect(isArray ? ']]' : ']');
      return { kind: isArray ? 'array' : 'table', path, start, end: this.#lineEnd() };
    }
    const path = this.#path();
    this.#expect('=');
    this.#blanks();
    const valueStart = this.#at;
    this.#value();
    const valueEnd = this.#at;
    return { kind: 'pair', path, start, valueStart, valueEnd, end: this.#lineEnd() };
  }

  #path(): readonly string[] {
    const names: string[] = [];
    do {
      this.#at += names.length === 0 ? 0 : 1;
      this.#blanks();
      names.push(this.#name());
      this.#blanks();
    } while (this.#text[this.#at] === '.');
    return names;
  }

  #name(): string {
    const start = this.#at;
    const first = this.#text[start];
    if (first === '"' || first === "'") {
      this.#string();
      return stringOf(this.#text.slice(start, this.#at));
    }
    const bare = /^[A-Za-z0-9_-]+/.exec(this.#text.slice(start, start + 200))?.[0];
    if (bare === undefined) throw new NotToml();
    this.#at += bare.length;
    return bare;
  }

  /** To the end of a value: strings are passed over, brackets counted, anything else is one word. */
  #value(): void {
    const start = this.#at;
    let depth = 0;
    for (;;) {
      const one = this.#text[this.#at];
      if (one === '"' || one === "'") {
        this.#string();
      } else if (one === '[' || one === '{') {
        depth++;
        this.#at++;
      } else if (one === ']' || one === '}') {
        depth--;
        this.#at++;
      } else if (depth > 0 && one === '#') {
        this.#at = lineBreak(this.#text, this.#at);
      } else if (one === undefined || (depth === 0 && /[\s#]/.test(one))) {
        break;
      } else {
        this.#at++;
      }
      if (depth < 0) throw new NotToml();
    }
    this.#datesWithBlank(start);
    if (depth !== 0 || this.#at === start) throw new NotToml();
  }

  /** `1979-05-27 07:32:00`, the one value with a blank in it. */
  #datesWithBlank(start: number): void {
    if (!/^\d{4}-\d\d-\d\d$/.test(this.#text.slice(start, this.#at))) return;
    this.#at += /^ \d\d:[0-9:.+Zz-]+/.exec(this.#text.slice(this.#at, this.#at + 40))?.[0].length ?? 0;
  }

  #string(): void {
    const quote = this.#text[this.#at] ?? '';
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    const close = isLong ? quote.repeat(3) : quote;
    this.#at += close.length;
    while (!this.#text.startsWith(close, this.#at)) {
      const one = this.#text[this.#at];
      if (one === undefined || (!isLong && one === '\n')) throw new NotToml();
      this.#at += one === '\\' && quote === '"' ? 2 : 1;
    }
    this.#at += close.length;
    // Up to two quotes may stand before the closing ones.
    while (isLong && this.#text[this.#at] === quote) this.#at++;
  }

  #expect(mark: string): void {
    this.#blanks();
    if (!this.#text.startsWith(mark, this.#at)) throw new NotToml();
    this.#at += mark.length;
  }

  #blanks(): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at++;
  }

  /** Behind the line ending; nothing but a comment may stand before it. */
  #lineEnd(): number {
    this.#blanks();
    if (this.#text[this.#at] === '#') this.#at = lineBreak(this.#text, this.#at);
    const ending = /^(?:\r?\n|$)/.exec(this.#text.slice(this.#at, this.#at + 2));
    if (ending === null) throw new NotToml();
    this.#at += ending[0].length;
    return this.#at;
  }
}

/** Offset of the line break behind `at`. */
function lineBreak(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : text[end - 1] === '\r' ? end - 1 : end;
}

/** What a TOML string of one line says. @throws NotToml */
function stringOf(literal: string): string {
  if (literal.startsWith("'")) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    throw new NotToml();
  }
}
