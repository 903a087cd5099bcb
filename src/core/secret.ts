const hidden = '***';

/**
 * A value that must never be shown: access token, refresh token, code, verifier, client secret.
 * Every way in which JavaScript turns a value into text gives `***`; `reveal()` is the only way out,
 * so a search for it finds each place where a secret leaves the program.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The plain value. Call it only where the secret is sent, stored or printed on purpose. */
  reveal(): string {
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
