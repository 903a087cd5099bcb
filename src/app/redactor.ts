/** Shorter texts stand in too many words to be replaced everywhere. In characters. */
const minHeld = 6;

/**
 * How long a secret is held. `lasting`: as long as the process. `token`, and `session` for an identifier that we send:
 * while it is in use, and some time after. `offered`: an identifier from a server, which may send as many as it likes.
 */
export type SecretKind = 'lasting' | 'token' | 'session' | 'offered';

/** Of each kind the latest are kept, as many as this: whatever is in use is seen again and again. */
const kept: Readonly<Record<SecretKind, number>> = {
  lasting: Number.POSITIVE_INFINITY,
  token: 4_096,
  session: 16,
  offered: 64,
};

/**
 * The last net under every text that is printed: each value that is held as a secret is replaced, wherever it stands,
 * as it is and as URLs, forms, JSON and base64 write it. The first net is `Secret`, which cannot be printed.
 */
export class Redactor {
  /** By kind; those seen latest come last. */
  readonly #held: Readonly<Record<SecretKind, Set<string>>> = {
    lasting: new Set(),
    token: new Set(),
    session: new Set(),
    offered: new Set(),
  };
  /** The longest first: a value may be a part of another one. Made when something is printed. */
  #forms: readonly string[] | undefined;

  /** From now on this value is not printed. */
  hold(value: string, kind: SecretKind = 'lasting'): void {
    if (value.length < minHeld) return;
    const held = this.#held[kind];
    if (!held.delete(value)) this.#forms = undefined;
    held.add(value);
    if (held.size > kept[kind]) {
      const [oldest = ''] = held;
      held.delete(oldest);
    }
  }

  redact(text: string): string {
    this.#forms ??= [...new Set(Object.values(this.#held).flatMap((held) => [...held].flatMap(formsOf)))].sort(
      (one, other) => other.length - one.length,
    );
    return this.#forms.reduce((redacted, form) => redacted.replaceAll(form, '***'), text);
  }
}

/** A value as it is, and as others write it. */
function formsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const url = encodeURIComponent(value.replace(/[\ud800-\udfff]/gu, '\ufffd'));
  const base64Url = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const json = JSON.stringify(value).slice(1, -1);
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  return [value, url, form, json, base64, base64Url];
}
