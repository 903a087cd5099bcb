/** In characters. A shorter text occurs in too many words; a longer one is an item whose secrets are held one by one. */
const [minHeld, maxHeld] = [6, 20_000];

/**
 * Secret values, most recently used last. A server can make us use any number of them, so the oldest are dropped; those in
 * use are used again and again.
 */
class HeldValues {
  /** Each with its forms, which are computed when something is first printed. */
  readonly #values = new Map<string, readonly string[] | undefined>();
  readonly #room: number;
  #size = 0;

  /** @param room For all values together, in characters. */
  constructor(room: number) {
    this.#room = room;
  }

  hold(value: string): void {
    if (value.length < minHeld || value.length > maxHeld) return;
    const forms = this.#values.get(value);
    if (!this.#values.delete(value)) this.#size += value.length;
    this.#values.set(value, forms);
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#room) break;
      this.#values.delete(oldest);
      this.#size -= oldest.length;
    }
  }

  /** All forms of all values. */
  *forms(): Iterable<string> {
    for (const [value, known] of this.#values) {
      const forms = known ?? formsOf(value);
      if (known === undefined) this.#values.set(value, forms);
      yield* forms;
    }
  }
}

// The only state of the process: a secret can be created anywhere, and must not be printed anywhere.
const secrets = new HeldValues(2_000_000);
/** Separate, so that a server with endless sessions pushes no token out. */
const sessions = new HeldValues(65_536);

/** Keeps a value from being printed from now on. `Secret` calls it. */
export function holdSecret(value: string): void {
  secrets.hold(value);
}

/** The same for a protocol session's identifier. */
export function holdSession(id: string): void {
  sessions.hold(id);
}

/**
 * The last safety net for every printed text: replaces each held value, plain and as URLs, forms, JSON and base64 spell it.
 * The first net is `Secret`, which cannot be printed.
 */
export function redact(text: string): string {
  const forms = [...secrets.forms(), ...sessions.forms()];
  // A value may be part of another: the longest go first.
  const found = forms.filter((form) => text.includes(form)).sort((one, other) => other.length - one.length);
  const cut = text.includes('…') ? forms.reduce(redactCut, text) : text;
  return found.reduce((redacted, form) => redacted.replaceAll(form, '***'), cut);
}

/** In characters: a shorter beginning occurs in too many words. */
const minCut = 12;

/** The same for a value that `quoted` has cut off. */
function redactCut(text: string, form: string): string {
  const [last = '', ...cut] = text.split('…').toReversed();
  const redacted = cut.map((part) => {
    const begin = part.lastIndexOf(form.slice(0, minCut));
    return form.length > minCut && begin !== -1 && form.startsWith(part.slice(begin))
      ? `${part.slice(0, begin)}***`
      : part;
  });
  return [last, ...redacted].toReversed().join('…');
}

/** A value and its encoded forms. */
function formsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const url = encodeURIComponent(value.replace(/[\ud800-\udfff]/gu, '\ufffd'));
  const base64Url = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const json = JSON.stringify(value).slice(1, -1);
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  return [...new Set([value, url, form, json, base64, base64Url])];
}

const hidden = '***';

/**
 * A value that must never be shown: access token, refresh token, code, verifier, client secret. Every conversion to text
 * gives `***`. `reveal()` is the only way out, so searching for it finds each place where a secret leaves the program.
 */
export class Secret {
  readonly #value: string;
  readonly #isHeld: boolean;

  /** @param options.held False for a value that the user has to see, or that is useless to others: it may be printed. */
  constructor(value: string, options: { readonly held: boolean } = { held: true }) {
    this.#value = value;
    this.#isHeld = options.held;
    if (options.held) holdSecret(value);
  }

  /** The plain value. Call it only to send, store or deliberately print the secret. */
  reveal(): string {
    if (this.#isHeld) holdSecret(this.#value); // in use: moves to the end
    return this.#value;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [Symbol.toPrimitive](): string {
    return hidden;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return hidden;
  }
}

/** A header with a secret value: the token, or an extra header that a server wants. */
export interface SecretHeader {
  readonly name: string;
  readonly value: Secret;
}

/** A shorter secret occurs in unrelated words. In characters. */
const minQuoted = 8;

/** Whether a text from outside holds one of these secrets; such a text is neither stored in the open nor printed. */
export function quotesSecret(text: string, secrets: readonly (Secret | undefined)[]): boolean {
  return secrets.some((secret) => {
    const value = secret?.reveal() ?? '';
    return value.length >= minQuoted && text.includes(value);
  });
}
