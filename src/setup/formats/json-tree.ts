/** A value of a JSON text, and where it stands (offsets in UTF-16 units, `end` after its last). */
export type JsonNode = JsonObjectNode | JsonOtherNode;

export interface JsonObjectNode {
  readonly kind: 'object';
  readonly start: number;
  readonly end: number;
  readonly members: readonly JsonMember[];
}

export interface JsonOtherNode {
  readonly kind: 'array' | 'scalar';
  readonly start: number;
  readonly end: number;
}

export interface JsonMember {
  readonly name: string;
  readonly start: number;
  readonly value: JsonNode;
  /** Offset of the comma behind it. */
  readonly comma: number | undefined;
}

const mostLevels = 200;

/**
 * Where everything stands in a JSON text as editors write and read it: with a byte order mark, comments and commas
 * before a closing bracket (JSONC). Undefined when it is none.
 */
export function jsonTree(text: string): JsonNode | undefined {
  try {
    return new TreeReader(text).document();
  } catch (cause) {
    if (cause instanceof NotJson) return undefined;
    throw cause;
  }
}

/** The member of that name; `duplicate` when there are several. */
export function memberOf(node: JsonObjectNode, name: string): JsonMember | 'duplicate' | undefined {
  const [first, ...others] = node.members.filter((member) => member.name === name);
  return others.length > 0 ? 'duplicate' : first;
}

const slash = 0x2f;

/** Offset behind the white space and comments from `at` on; with `line`, of this line only. */
export function skipTrivia(text: string, from: number, line: boolean): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 0x20 || code === 0x09 || (!line && (code === 0x0a || code === 0x0d))) {
      at++;
    } else if (code === slash && text.charCodeAt(at + 1) === slash) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : text[end - 1] === '\r' ? end - 1 : end;
    } else if (code === slash && text[at + 1] === '*') {
      const end = text.indexOf('*/', at + 2);
      if (end === -1) return at;
      at = end + 2;
    } else {
      return at;
    }
  }
}

class NotJson {}

class TreeReader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith('\ufeff') ? 1 : 0;
  }

  document(): JsonNode {
    const node = this.#value(0);
    if (this.#next() !== undefined) throw new NotJson();
    return node;
  }

  #value(depth: number): JsonNode {
    if (depth > mostLevels) throw new NotJson();
    const first = this.#next();
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    const start = this.#at;
    if (first === '"') {
      this.#string();
    } else {
      const word = /^[-+.0-9a-zA-Z]+/.exec(this.#text.slice(start, start + 400))?.[0] ?? '';
      this.#parse(word);
      this.#at += word.length;
    }
    return { kind: 'scalar', start, end: this.#at };
  }

  #object(depth: number): JsonObjectNode {
    const start = this.#at++;
    const members: JsonMember[] = [];
    while (this.#next() !== '}') {
      if (members.length > 0 && members.at(-1)?.comma === undefined) throw new NotJson();
      const nameStart = this.#at;
      if (this.#next() !== '"') throw new NotJson();
      const name = this.#string();
      if (this.#next() !== ':') throw new NotJson();
      this.#at++;
      const value = this.#value(depth + 1);
      members.push({ name, start: nameStart, value, comma: this.#comma() });
    }
    return { kind: 'object', start, end: ++this.#at, members };
  }

  #array(depth: number): JsonNode {
    const start = this.#at++;
    let open = true;
    while (this.#next() !== ']') {
      if (!open) throw new NotJson();
      this.#value(depth + 1);
      open = this.#comma() !== undefined;
    }
    return { kind: 'array', start, end: ++this.#at };
  }

  #comma(): number | undefined {
    return this.#next() === ',' ? this.#at++ : undefined;
  }

  #string(): string {
    const start = this.#at;
    let end = this.#text.indexOf('"', start + 1);
    // A quote after an odd number of backslashes is part of the string.
    while (end !== -1 && isEscaped(this.#text, end)) {
      end = this.#text.indexOf('"', end + 1);
    }
    if (end === -1) throw new NotJson();
    this.#at = end + 1;
    return String(this.#parse(this.#text.slice(start, end + 1)));
  }

  #parse(literal: string): unknown {
    try {
      return JSON.parse(literal);
    } catch {
      throw new NotJson();
    }
  }

  #next(): string | undefined {
    this.#at = skipTrivia(this.#text, this.#at, false);
    return this.#text[this.#at];
  }
}

function isEscaped(text: string, mark: number): boolean {
  let at = mark;
  while (text[at - 1] === '\\') at--;
  return (mark - at) % 2 === 1;
}

/** The value of a node; commas and comments inside of it aside. Undefined where a name occurs twice. */
export function nodeValue(text: string, node: JsonNode): unknown {
  if (node.kind === 'object') {
    const pairs: [string, unknown][] = node.members.map(({ name, value }) => [name, nodeValue(text, value)]);
    return Object.fromEntries(pairs);
  }
  return JSON.parse(withoutTrivia(text.slice(node.start, node.end)));
}

/** What stands at that path, the text being JSON with comments; undefined where there is nothing or no such text. */
export function jsonAt(text: string, path: readonly string[]): unknown {
  const root = jsonTree(text);
  let node: JsonNode | undefined = root;
  for (const name of path) {
    const member: ReturnType<typeof memberOf> =
      node?.kind === 'object' ? memberOf(node as JsonObjectNode, name) : undefined;
    node = member === 'duplicate' ? undefined : member?.value;
  }
  return node === undefined ? undefined : nodeValue(text, node);
}

/** A JSON text with its comments and its commas before closing brackets taken out. */
function withoutTrivia(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (part.startsWith('"') ? part : ' '))
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (part) => (part.startsWith('"') ? part : ' '));
}
