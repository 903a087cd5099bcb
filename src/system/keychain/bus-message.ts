/** A call of a method whose arguments are strings (D-Bus specification, "Message Format"). */
export interface MethodCall {
  readonly serial: number;
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly strings: readonly string[];
}

/** An answer to a call, or anything else that a bus sends. */
export interface BusMessage {
  readonly kind: 'return' | 'error' | 'other';
  readonly replySerial: number;
  readonly errorName: string;
  /** The first value, when it is an object path or a variant that holds a boolean. */
  readonly value: string | boolean | undefined;
}

export type Decoded =
  | { readonly state: 'whole'; readonly message: BusMessage; readonly length: number }
  | { readonly state: 'incomplete' }
  | { readonly state: 'malformed' };

const field = {
  path: 1,
  interface: 2,
  member: 3,
  errorName: 4,
  replySerial: 5,
  destination: 6,
  signature: 8,
};
const maxMessage = 65_536;

/** The bytes of a call, little-endian. */
export function encodeCall(call: MethodCall): Buffer {
  const body = new Writer();
  for (const text of call.strings) body.string(text);
  const fields = new Writer();
  fields.field(field.path, 'o', call.path);
  fields.field(field.destination, 's', call.destination);
  fields.field(field.interface, 's', call.interface);
  fields.field(field.member, 's', call.member);
  if (call.strings.length > 0) fields.signature(field.signature, 's'.repeat(call.strings.length));
  const header = new Writer();
  header.bytes(0x6c, 1, 0, 1); // little-endian, METHOD_CALL, no flags, version 1
  header.word(body.length);
  header.word(call.serial);
  header.word(fields.length);
  const head = Buffer.concat([header.buffer(), fields.buffer()]);
  return Buffer.concat([head, Buffer.alloc(-head.length & 7), body.buffer()]);
}

/** Reads the first message of what a bus has sent so far. */
export function decodeMessage(bytes: Buffer): Decoded {
  if (bytes.length < 16) {
    return { state: 'incomplete' };
  }
  const little = bytes[0] === 0x6c;
  const word = (at: number): number => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const bodyAt = (16 + word(12) + 7) & ~7;
  const length = bodyAt + word(4);
  if ((!little && bytes[0] !== 0x42) || word(12) > maxMessage || word(4) > maxMessage) {
    return { state: 'malformed' };
  }
  if (bytes.length < length) {
    return { state: 'incomplete' };
  }
  try {
    const message = decodeWhole(bytes.subarray(0, length), { little, bodyAt, fieldsEnd: 16 + word(12) });
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
  const reader = new Reader(bytes, little, 16);
  const found = new Map<number, string | number>();
  while (reader.at < fieldsEnd) {
    reader.align(8);
    const code = reader.byte();
    found.set(code, reader.value(reader.signature()));
  }
  const body = new Reader(bytes, little, bodyAt);
  const kind = bytes[1] === 2 ? 'return' : bytes[1] === 3 ? 'error' : 'other';
  return {
    kind,
    replySerial: Number(found.get(field.replySerial) ?? 0),
    errorName: String(found.get(field.errorName) ?? ''),
    value: kind === 'return' ? firstValue(body, String(found.get(field.signature) ?? '')) : undefined,
  };
}

function firstValue(body: Reader, signature: string): string | boolean | undefined {
  if (signature === 'o') {
    return String(body.value('o'));
  }
  return signature === 'v' && body.signature() === 'b' ? body.value('u') === 1 : undefined;
}

class Writer {
  readonly #bytes: number[] = [];

  get length(): number {
    return this.#bytes.length;
  }

  buffer(): Buffer {
    return Buffer.from(this.#bytes);
  }

  bytes(...values: readonly number[]): void {
    this.#bytes.push(...values);
  }

  word(value: number): void {
    while (this.#bytes.length % 4 !== 0) this.#bytes.push(0);
    this.bytes(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
  }

  string(text: string): void {
    const utf8 = Buffer.from(text);
    this.word(utf8.length);
    this.bytes(...utf8, 0);
  }

  field(code: number, type: 's' | 'o', text: string): void {
    this.#begin(code, type);
    this.string(text);
  }

  signature(code: number, text: string): void {
    this.#begin(code, 'g');
    this.bytes(text.length, ...Buffer.from(text), 0);
  }

  #begin(code: number, type: string): void {
    while (this.#bytes.length % 8 !== 0) this.#bytes.push(0);
    this.bytes(code, 1, type.charCodeAt(0), 0);
  }
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

  signature(): string {
    return this.#text(this.byte());
  }

  value(type: string): string | number {
    if (type === 'g') return this.signature();
    this.align(4);
    const word = this.#little ? this.#bytes.readUInt32LE(this.at) : this.#bytes.readUInt32BE(this.at);
    this.at += 4;
    if (type === 'u') return word;
    if (type === 's' || type === 'o') return this.#text(word);
    throw new RangeError('a type that is not read here');
  }

  #text(length: number): string {
    if (this.at + length >= this.#bytes.length) throw new RangeError('a text beyond the end');
    const text = this.#bytes.toString('utf8', this.at, this.at + length);
    this.at += length + 1;
    return text;
  }
}
