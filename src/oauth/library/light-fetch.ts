/**
 * What oauth4webapi uses of the Fetch standard's `Headers` and `Response`, and we of its responses. Node.js makes its own of
 * a whole HTTP client, whose first use takes 20 ms: as long as Node.js itself takes to start. The bundle of the library
 * gets these in their place (`.build/bundle.mjs`).
 */

/** Names and values that HTTP has no place for (RFC 9110 sections 5.1 and 5.5). */
const [noName, noValue] = [/[^!#$%&'*+.^_`|~0-9A-Za-z-]|^$/, /[\0\r\n]|[^\0-\xff]/];

/** Fields by name, which has no case; one value for each. */
export class LightHeaders {
  readonly #values = new Map<string, string>();

  /** @throws TypeError for what can be no header, as the standard's */
  constructor(fields: Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Object.entries(fields)) this.append(name, value);
  }

  get [Symbol.toStringTag](): string {
    return 'Headers';
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#keep(name, value, undefined);
  }

  append(name: string, value: string): void {
    this.#keep(name, value, this.#values.get(name.toLowerCase()));
  }

  #keep(name: string, value: string, before: string | undefined): void {
    const isPlain = value.charCodeAt(0) > 32 && value.charCodeAt(value.length - 1) > 32;
    const trimmed = isPlain ? value : value.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, '');
    if (noName.test(name) || noValue.test(trimmed)) throw new TypeError('this cannot be a header');
    this.#values.set(name.toLowerCase(), before === undefined ? trimmed : `${before}, ${trimmed}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

/** A response whose body is there. */
export class LightResponse {
  readonly status: number;
  readonly headers: LightHeaders;
  #bytes: Uint8Array | undefined;
  #isUsed = false;

  constructor(
    body: Uint8Array | string | null = null,
    { status = 200, headers }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    this.status = status;
    this.headers = new LightHeaders(headers);
    if (body !== null) this.#bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  }

  get [Symbol.toStringTag](): string {
    return 'Response';
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get bodyUsed(): boolean {
    return this.#isUsed;
  }

  /** All that is done with it: to let it go. */
  get body(): { cancel(): Promise<void> } | null {
    if (this.#bytes === undefined) return null;
    return {
      cancel: async () => {
        this.#isUsed = true;
      },
    };
  }

  /** @throws TypeError once it is read, as the standard's */
  clone(): LightResponse {
    if (this.#isUsed) throw new TypeError('the body of this response was read');
    return new LightResponse(this.#bytes ?? null, { status: this.status, headers: Object.fromEntries(this.headers) });
  }

  /** @throws TypeError the second time */
  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(this.#read()).buffer;
  }

  /** @throws TypeError the second time */
  async text(): Promise<string> {
    return new TextDecoder().decode(this.#read());
  }

  /** @throws TypeError the second time, SyntaxError */
  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  #read(): Uint8Array {
    if (this.#isUsed) throw new TypeError('the body of this response was read');
    this.#isUsed = this.#bytes !== undefined;
    return this.#bytes ?? new Uint8Array();
  }
}

/** A response for the library, which asks no more of it than is here. */
export function lightResponse(...parts: ConstructorParameters<typeof LightResponse>): Response {
  return new LightResponse(...parts) as unknown as Response;
}
