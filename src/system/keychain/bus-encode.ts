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
const field = { path: 1, interface: 2, member: 3, destination: 6, signature: 8 };

/** The bytes of a call, little-endian. */
export function encodeCall(call: MethodCall, serial: number): Buffer {
  const body = new Writer();
  for (const argument of call.arguments) body.argument(argument);
  const fields = new Writer();
  fields.field(field.path, 'o', call.path);
  fields.field(field.destination, 's', call.destination);
  fields.field(field.interface, 's', call.interface);
  fields.field(field.member, 's', call.member);
  if (call.arguments.length > 0) {
    fields.field(field.signature, 'g', call.arguments.map(({ type }) => type).join(''));
  }
  const header = new Writer();
  header.bytes(0x6c, 1, 0, 1); // little-endian, METHOD_CALL, no flags, version 1
  header.word(body.length);
  header.word(serial);
  header.word(fields.length);
  const head = Buffer.concat([header.buffer(), fields.buffer()]);
  return Buffer.concat([head, Buffer.alloc(-head.length & 7), body.buffer()]);
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
    this.#align(4);
    this.bytes(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
  }

  argument(argument: BusArgument): void {
    if (argument.type === 'a{ss}') {
      this.#dictionary(argument.entries);
      return;
    }
    if (argument.type === 'v') this.#signature('s');
    this.#string(argument.text);
  }

  field(code: number, type: 's' | 'o' | 'g', text: string): void {
    this.#align(8);
    this.bytes(code);
    this.#signature(type);
    if (type === 'g') this.#signature(text);
    else this.#string(text);
  }

  #string(text: string): void {
    const utf8 = Buffer.from(text);
    this.word(utf8.length);
    this.bytes(...utf8, 0);
  }

  #signature(text: string): void {
    this.bytes(text.length, ...Buffer.from(text), 0);
  }

  #dictionary(entries: Readonly<Record<string, string>>): void {
    this.word(0);
    const lengthAt = this.#bytes.length - 4;
    this.#align(8);
    const from = this.#bytes.length;
    for (const [name, value] of Object.entries(entries)) {
      this.#align(8);
      this.#string(name);
      this.#string(value);
    }
    const length = this.#bytes.length - from;
    this.#bytes[lengthAt] = length & 0xff;
    this.#bytes[lengthAt + 1] = length >>> 8;
  }

  #align(to: number): void {
    while (this.#bytes.length % to !== 0) this.#bytes.push(0);
  }
}
