/** A value in a message; a variant is what it holds, a structure a list. */
export type BusValue = string | number | boolean | Buffer | readonly BusValue[];

/** An answer to a call, or anything else that a bus sends. */
export interface BusMessage {
  readonly kind: 'return' | 'error' | 'other';
  readonly replySerial: number;
  readonly errorName: string;
  /** Of a `return`. */
  readonly values: readonly BusValue[];
}

export type Decoded =
  | { readonly state: 'whole'; readonly message: BusMessage; readonly length: number }
  | { readonly state: 'incomplete' }
  | { readonly state: 'malformed' };

/** Codes of header fields. */
const field = { errorName: 4, replySerial: 5, signature: 8 };
const maxLength = 262_144;
const maxDepth = 8;

/** Reads the first message of what a bus has sent so far (D-Bus specification, "Message Format"). */
export function decodeMessage(bytes: Buffer): Decoded {
  if (bytes.length < 16) {
    return { state: 'incomplete' };
  }
  const little = bytes[0] === 0x6c;
  const word = (at: number): number => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const fieldsEnd = 16 + word(12);
  const bodyAt = (fieldsEnd + 7) & ~7;
  const length = bodyAt + word(4);
  if ((!little && bytes[0] !== 0x42) || word(12) > maxLength || word(4) > maxLength) {
    return { state: 'malformed' };
  }
  if (bytes.length < length) {
    return { state: 'incomplete' };
  }
  try {
    const message = decodeWhole(bytes.subarray(0, length), { little, bodyAt, fieldsEnd });
    return { state: 'whole', message, length };
  } catch (error) {
    if (error instanceof RangeError) return { state: 'malformed' };
    throw error;
  }
}

function decodeWhole(
  bytes: Buffer,
  { little, bodyAt, fieldsEnd }: { little: boolean; bodyAt: number; fieldsEnd: number },
): BusMessage {
  const header = new Reader(bytes, little, 16);
  const found = new Map<number, BusValue>();
  while (header.at < fieldsEnd) {
    header.align(8);
    const code = header.byte();
    found.set(code, header.variant(0));
  }
  const kind = bytes[1] === 2 ? 'return' : bytes[1] === 3 ? 'error' : 'other';
  const signature = kind === 'return' ? String(found.get(field.signature) ?? '') : '';
  return {
    kind,
    replySerial: Number(found.get(field.replySerial) ?? 0),
    errorName: String(found.get(field.errorName) ?? ''),
    values: new Reader(bytes, little, bodyAt).values(signature, 0),
  };
}

/** Throws a RangeError where the bytes end too early or are of a type not read here. */
class Reader {
  readonly #bytes: Buffer;
  readonly #little: boolean;
  at: number;

  constructor(bytes: Buffer, little: boolean, at: number) {
    this.#bytes = bytes;
    this.#little = little;
    this.at = at;
  }

  align(to: number): void {
    this.at = (this.at + to - 1) & ~(to - 1);
  }

  byte(): number {
    this.at += 1;
    return this.#bytes.readUInt8(this.at - 1);
  }

  variant(depth: number): BusValue {
    const [value] = this.values(this.#text(this.byte()), depth + 1);
    if (value === undefined) throw new RangeError('a variant without a type');
    return value;
  }

  /** One value for each type of the signature. */
  values(signature: string, depth: number): BusValue[] {
    if (depth > maxDepth) throw new RangeError('too deep');
    const values: BusValue[] = [];
    for (let rest = signature; rest !== ''; ) {
      const type = /^(?:a?[ybuosgv]|\([ybuosgav]*\))/.exec(rest)?.[0];
      if (type === undefined) throw new RangeError('a type that is not read here');
      values.push(this.#value(type, depth));
      rest = rest.slice(type.length);
    }
    return values;
  }

  #value(type: string, depth: number): BusValue {
    switch (type) {
      case 'y':
        return this.byte();
      case 'g':
        return this.#text(this.byte());
      case 'v':
        return this.variant(depth);
      case 'u':
        return this.#word();
      case 'b':
        return this.#word() === 1;
      case 's':
      case 'o':
        return this.#text(this.#word());
    }
    if (type.startsWith('(')) {
      this.align(8);
      return this.values(type.slice(1, -1), depth + 1);
    }
    return this.#array(type.slice(1), depth);
  }

  #array(type: string, depth: number): BusValue {
    const length = this.#word();
    const end = this.at + length;
    if (end > this.#bytes.length) throw new RangeError('an array beyond the end');
    if (type === 'y') {
      this.at = end;
      return this.#bytes.subarray(end - length, end);
    }
    const values: BusValue[] = [];
    while (this.at < end) values.push(this.#value(type, depth + 1));
    return values;
  }

  #word(): number {
    this.align(4);
    this.at += 4;
    return this.#little ? this.#bytes.readUInt32LE(this.at - 4) : this.#bytes.readUInt32BE(this.at - 4);
  }

  #text(length: number): string {
    if (this.at + length >= this.#bytes.length) throw new RangeError('a text beyond the end');
    const text = this.#bytes.toString('utf8', this.at, this.at + length);
    this.at += length + 1;
    return text;
  }
}
