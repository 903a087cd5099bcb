/** A value in a message; a variant is what it holds, a structure a list. */
export type BusValue = string | number | boolean | Buffer | readonly BusValue[];

/** The response to a call, or anything else that a bus sends. */
export interface BusMessage {
  readonly kind: 'return' | 'error' | 'other';
  readonly replySerial: number;
  readonly errorName: string;
  /** Object and member of a signal. */
  readonly path: string;
  readonly member: string;
  /** Of a `return`, and of the one signal that is waited for. */
  readonly values: readonly BusValue[];
}

/** The signal that a prompt of the Secret Service sends at its end. */
export const promptEnded = 'Completed';

export type Decoded =
  | { readonly state: 'whole'; readonly message: BusMessage; readonly length: number }
  | { readonly state: 'incomplete' | 'malformed' };

/** Codes of header fields. */
const field = { path: 1, interface: 2, member: 3, errorName: 4, replySerial: 5, destination: 6, signature: 8 };

const maxLength = 262_144;

/** Header fields are variants, too. */
const maxVariants = 64;

/** Reads the first message of what a bus has sent so far (D-Bus specification, "Message Format"). */
export function decodeMessage(bytes: Buffer): Decoded {
  if (bytes.length < 16) return { state: 'incomplete' };
  const isLittle = bytes[0] === 0x6c;
  const header = new Reader(bytes, isLittle, 4);
  const bodyLength = header.word();
  header.at = 12;
  const fieldsLength = header.word();
  const bodyAt = aligned(16 + fieldsLength, 8);
  const length = bodyAt + bodyLength;
  if ((!isLittle && bytes[0] !== 0x42) || fieldsLength > maxLength || bodyLength > maxLength)
    return { state: 'malformed' };
  if (bytes.length < length) return { state: 'incomplete' };
  try {
    const fields = new Map<number, BusValue>();
    const whole = new Reader(bytes.subarray(0, length), isLittle, 16);
    while (whole.at < 16 + fieldsLength) {
      whole.align(8);
      fields.set(whole.byte(), whole.variant());
    }
    whole.at = bodyAt;
    return { state: 'whole', length, message: messageOf(bytes[1], fields, whole) };
  } catch (error) {
    if (error instanceof RangeError) return { state: 'malformed' };
    throw error;
  }
}

function messageOf(type: number | undefined, fields: ReadonlyMap<number, BusValue>, body: Reader): BusMessage {
  const kind = type === 2 ? 'return' : type === 3 ? 'error' : 'other';
  const text = (name: keyof typeof field) => String(fields.get(field[name]) ?? '');
  const isRead = kind === 'return' || (type === 4 && text('member') === promptEnded);
  return {
    kind,
    replySerial: Number(fields.get(field.replySerial) ?? 0),
    errorName: text('errorName'),
    path: text('path'),
    member: text('member'),
    values: isRead ? body.values(text('signature')) : [],
  };
}

/** Throws a RangeError where the bytes end too early or are of a type not read here. */
class Reader {
  readonly #bytes: Buffer;
  readonly #isLittle: boolean;
  #variants = 0;
  at: number;

  constructor(bytes: Buffer, isLittle: boolean, at: number) {
    this.#bytes = bytes;
    this.#isLittle = isLittle;
    this.at = at;
  }

  align(to: number): void {
    this.at = aligned(this.at, to);
  }

  byte(): number {
    this.at += 1;
    return this.#bytes.readUInt8(this.at - 1);
  }

  word(): number {
    this.align(4);
    this.at += 4;
    return this.#isLittle ? this.#bytes.readUInt32LE(this.at - 4) : this.#bytes.readUInt32BE(this.at - 4);
  }

  variant(): BusValue {
    this.#variants += 1;
    const [value] = this.values(this.#text(this.byte()));
    if (value === undefined || this.#variants > maxVariants) throw new RangeError('an odd variant');
    return value;
  }

  /** One value for each type of the signature. */
  values(signature: string): BusValue[] {
    const types = signature.match(/a?[ybuosgv]|\([ybuosgav]*\)/g) ?? [];
    if (types.join('') !== signature) throw new RangeError('a type that is not read here');
    return types.map((type) => this.#value(type));
  }

  #value(type: string): BusValue {
    switch (type) {
      case 'y':
        return this.byte();
      case 'g':
        return this.#text(this.byte());
      case 'v':
        return this.variant();
      case 'u':
        return this.word();
      case 'b':
        return this.word() === 1;
      case 's':
      case 'o':
        return this.#text(this.word());
    }
    if (type.startsWith('a')) return this.#array(type.slice(1));
    this.align(8);
    return this.values(type.slice(1, -1));
  }

  #array(type: string): BusValue {
    const length = this.word();
    const end = this.at + length;
    if (end > this.#bytes.length) throw new RangeError('an array beyond the end');
    const values: BusValue[] = [];
    if (type === 'y') this.at = end;
    while (this.at < end) values.push(this.#value(type));
    return type === 'y' ? this.#bytes.subarray(end - length, end) : values;
  }

  #text(length: number): string {
    if (this.at + length >= this.#bytes.length) throw new RangeError('a text beyond the end');
    this.at += length + 1;
    return this.#bytes.toString('utf8', this.at - length - 1, this.at - 1);
  }
}

function aligned(at: number, to: number): number {
  return (at + to - 1) & ~(to - 1);
}

/** A value of a call; a variant has its type beside it. */
export type Argument =
  | string
  | number
  | boolean
  | Buffer
  | readonly Argument[]
  | { readonly type: string; readonly value: Argument };

/** A call of a method (D-Bus specification, "Message Format"). */
export interface MethodCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature: string;
  /** One for each type of the signature. */
  readonly arguments: readonly Argument[];
}

/** The bytes of a call, little-endian; they are the characters of a string until the end. */
export function encodeCall(call: MethodCall, serial: number): Buffer {
  const body = withValues('', call.signature, call.arguments);
  const types = { path: 'o', destination: 's', interface: 's', member: 's', signature: 'g' } as const;
  const fields = (Object.keys(types) as (keyof typeof types)[])
    .filter((name) => call[name] !== '')
    .map((name) => [field[name], { type: types[name], value: call[name] }]);
  const start = '\x6c\x01\x00\x01'; // little-endian, METHOD_CALL, no flags, version 1
  const head = withValue(`${start}${word(body.length)}${word(serial)}`, 'a(yv)', fields);
  return Buffer.from(`${padded(head, 8)}${body}`, 'latin1');
}

function withValues(bytes: string, signature: string, values: readonly Argument[]): string {
  const types = signature.match(/a*(?:[ybuosgv]|\([^()]*\)|\{[^{}]*\})/g) ?? [];
  return types.reduce((before, type, at) => withValue(before, type, values[at] ?? ''), bytes);
}

function withValue(bytes: string, type: string, value: Argument): string {
  if (type.startsWith('a')) return withList(bytes, type.slice(1), value as Buffer | readonly Argument[]);
  switch (type) {
    case 'y':
      return bytes + String.fromCharCode(Number(value));
    case 'b':
      return padded(bytes, 4) + word(Number(value));
    case 'g':
      return `${bytes}${String.fromCharCode(String(value).length)}${String(value)}\0`;
    case 'v': {
      const inside = value as { readonly type: string; readonly value: Argument };
      return withValue(withValue(bytes, 'g', inside.type), inside.type, inside.value);
    }
    case 's':
    case 'o': {
      const utf8 = Buffer.from(String(value)).toString('latin1');
      return `${padded(bytes, 4)}${word(utf8.length)}${utf8}\0`;
    }
  }
  return withValues(padded(bytes, 8), type.slice(1, -1), value as readonly Argument[]);
}

/** The length does not count what stands before the first entry. */
function withList(bytes: string, type: string, list: Buffer | readonly Argument[]): string {
  const start = padded(bytes, 4);
  if (Buffer.isBuffer(list)) return `${start}${word(list.length)}${list.toString('latin1')}`;
  const first = padded(`${start}${word(0)}`, /^[({]/.test(type) ? 8 : 4);
  const all = list.reduce((before: string, entry) => withValue(before, type, entry), first);
  return `${start}${word(all.length - first.length)}${all.slice(start.length + 4)}`;
}

function word(value: number): string {
  return String.fromCharCode(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}

function padded(bytes: string, to: number): string {
  return bytes.padEnd(aligned(bytes.length, to), '\0');
}
