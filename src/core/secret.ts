/** A shorter text occurs in too many words to be replaced everywhere; a longer one is an item whose secrets are held themselves. In characters. */
const [minHeld, maxHeld] = [6, 20_000];

/**
 * Secret values, the latest used last. A server can make us use as many as it likes, so the oldest go: what is in use is
 * used again and again.
 */
class HeldValues {
  /** Each with its forms, once something was printed while it was held. */
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

  /** Each value, as it is and as others write it. */
  *forms(): Iterable<string> {
    for (const [value, known] of this.#values) {
      const forms = known ?? formsOf(value);
      if (known === undefined) this.#values.set(value, forms);
      yield* forms;
    }
  }
}

// The one state of the process: a secret can be made anywhere, and must never be printed wherever it turns up.
const secrets = new HeldValues(2_000_000);
/** Apart, so that a server that offers sessions without end pushes no token out. */
const sessions = new HeldValues(65_536);

/** From now on this value is not printed. `Secret` does this by itself. */
export function holdSecret(value: string): void {
  secrets.hold(value);
}

/** The same of a protocol session's identifier. */
export function holdSession(id: string): void {
  sessions.hold(id);
}

/**
 * The last net under every text that is printed: each value that is held is replaced, as it is and as URLs, forms, JSON
 * and base64 write it. The first net is `Secret`, which cannot be printed.
 */
export function redact(text: string): string {
  const forms = [...secrets.forms(), ...sessions.forms()];
  // A value may be a part of another one: cut ones go first, then the longest.
  const found = forms.filter((form) => text.includes(form)).sort((one, other) => other.length - one.length);
  const cut = text.includes('…') ? forms.reduce(redactCut, text) : text;
  return found.reduce((redacted, form) => redacted.replaceAll(form, '***'), cut);
}

/** In characters: a shorter beginning stands in too many words. */
const minCut = 12;

/** The same for the beginning of a value that `quoted` has cut. */
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

/** A value as it is, and as others write it. */
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
 * A value that must never be shown: access token, refresh token, code, verifier, client secret.
 * Every way in which JavaScript turns a value into text gives `***`; `reveal()` is the only way out,
 * so a search for it finds each place where a secret leaves the program.
 */
export class Secret {
  readonly #value: string;
  readonly #isHeld: boolean;

  /** @param options.held False for what a person has to be shown, or is of no use to others: it may occur in what is printed. */
  constructor(value: string, options: { readonly held: boolean } = { held: true }) {
    this.#value = value;
    this.#isHeld = options.held;
    if (options.held) holdSecret(value);
  }

  /** The plain value. Call it only where the secret is sent, stored or printed on purpose. */
  reveal(): string {
    if (this.#isHeld) holdSecret(this.#value); // still in use
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

/** A header whose value nobody may read: the token, or what a server wants beside it. */
export interface SecretHeader {
  readonly name: string;
  readonly value: Secret;
}

/** A shorter secret is found in words that have nothing of it. In characters. */
const minQuoted = 8;

/** Whether a foreign text holds one of these secrets: then it is neither kept where it can be read, nor printed. */
export function quotesSecret(text: string, secrets: readonly (Secret | undefined)[]): boolean {
  return secrets.some((secret) => {
    const value = secret?.reveal() ?? '';
    return value.length >= minQuoted && text.includes(value);
  });
}
