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
  if (bytes.length < 16) return { state: 'incomplete' };
  const little = bytes[0] === 0x6c;
  const word = (at: number): number => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const fieldsEnd = 16 + word(12);
  const bodyAt = (fieldsEnd + 7) & ~7;
  const length = bodyAt + word(4);
  if ((!little && bytes[0] !== 0x42) || word(12) > maxLength || word(4) > maxLength) return { state: 'malformed' };
  if (bytes.length < length) return { state: 'incomplete' };
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

/** An argument of a call: a string, an object path, a variant that holds a string, a dictionary of strings. */
export type BusArgument =
  | { readonly type: 's' | 'o' | 'v'; readonly text: string }
  | { readonly type: 'a{ss}'; readonly entries: Readonly<Record<string, string>> };

/** A call of a method (D-Bus specification, "Message Format"). */
export interface MethodCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly arguments: readonly BusArgument[];
}

/** Codes of header fields. */
const headerField = { path: 1, interface: 2, member: 3, destination: 6, signature: 8 };

/** The bytes of a call, little-endian. */
export function encodeCall(call: MethodCall, serial: number): Buffer {
  const body = new Writer();
  for (const argument of call.arguments) body.argument(argument);
  const fields = new Writer();
  fields.field(headerField.path, 'o', call.path);
  fields.field(headerField.destination, 's', call.destination);
  fields.field(headerField.interface, 's', call.interface);
  fields.field(headerField.member, 's', call.member);
  if (call.arguments.length > 0) {
    fields.field(headerField.signature, 'g', call.arguments.map(({ type }) => type).join(''));
  }
  const start = '\x6c\x01\x00\x01'; // little-endian, METHOD_CALL, no flags, version 1
  const head = `${start}${word(body.bytes.length)}${word(serial)}${word(fields.bytes.length)}${fields.bytes}`;
  return Buffer.from(`${aligned(head, 8)}${body.bytes}`, 'latin1');
}

/** Puts values behind one another. Bytes are characters of a string here: that is done in half the time of numbers. */
class Writer {
  bytes = '';

  argument(argument: BusArgument): void {
    if (argument.type === 'a{ss}') {
      this.#dictionary(argument.entries);
      return;
    }
    if (argument.type === 'v') this.#signature('s');
    this.#string(argument.text);
  }

  field(code: number, type: 's' | 'o' | 'g', text: string): void {
    this.bytes = `${aligned(this.bytes, 8)}${String.fromCharCode(code)}`;
    this.#signature(type);
    if (type === 'g') this.#signature(text);
    else this.#string(text);
  }

  #string(text: string): void {
    const utf8 = utf8Of(text);
    this.bytes = `${aligned(this.bytes, 4)}${word(utf8.length)}${utf8}\0`;
  }

  #signature(text: string): void {
    this.bytes += `${String.fromCharCode(text.length)}${text}\0`;
  }

  #dictionary(entries: Readonly<Record<string, string>>): void {
    const inside = new Writer();
    for (const [name, value] of Object.entries(entries)) {
      inside.bytes = aligned(inside.bytes, 8);
      inside.#string(name);
      inside.#string(value);
    }
    const head = `${aligned(this.bytes, 4)}${word(inside.bytes.length)}`;
    this.bytes = aligned(head, 8) + inside.bytes;
  }
}

function word(value: number): string {
  return String.fromCharCode(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}

function aligned(bytes: string, to: number): string {
  return bytes + '\0'.repeat(-bytes.length & (to - 1));
}

function utf8Of(text: string): string {
  return Buffer.from(text).toString('latin1');
}
