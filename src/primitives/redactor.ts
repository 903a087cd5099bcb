/** Shorter texts stand in too many words to be replaced everywhere. */
const shortest = 6;

/**
 * The last net under every text that is printed: each value that was ever held as a secret is replaced, wherever it
 * stands, as it is and as URLs, forms, JSON and base64 write it. The first net is `Secret`, which cannot be printed.
 */
export class Redactor {
  readonly #forms = new Set<string>();

  /** From now on this value is never printed. */
  hold(value: string): void {
    if (value.length < shortest) {
      return;
    }
    const base64 = base64Of(value);
    const url = encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'));
    const base64Url = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    const json = JSON.stringify(value).slice(1, -1);
    const form = new URLSearchParams([['', value]]).toString().slice(1);
    for (const written of [value, url, form, json, base64, base64Url]) {
      this.#forms.add(written);
    }
  }

  redact(text: string): string {
    // The longest first: a value may be a part of another one.
    const forms = [...this.#forms].sort((one, other) => other.length - one.length);
    return forms.reduce((redacted, form) => redacted.replaceAll(form, '***'), text);
  }
}

function base64Of(value: string): string {
  const bytes = new TextEncoder().encode(value);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
