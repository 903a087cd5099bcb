/** Pieces of this length of a secret are not printed either: texts are cut. In characters. */
const pieceLength = 12;

/** Shorter texts stand in too many words. In characters. */
const minLength = 6;

/** Longest part of a secret that is looked at, in characters. */
const maxLength = 20_000;

/** The secrets of one run: a server's words may say them back, whole, cut, or as a URL writes them. */
export class HiddenSecrets {
  readonly #short = new Set<string>();
  readonly #pieces = new Set<string>();

  /** From now on neither it nor a piece of it is shown. */
  hide(secret: string): void {
    for (const form of [secret, encodeURIComponent(secret.replace(/\p{Surrogate}/gu, ''))]) {
      const text = form.slice(0, maxLength);
      if (text.length >= minLength && text.length < pieceLength) this.#short.add(text);
      for (let at = 0; at + pieceLength <= text.length; at += 1) this.#pieces.add(text.slice(at, at + pieceLength));
    }
  }

  /** The text with *** where a secret stood. */
  without(text: string): string {
    let clean = '';
    let end = 0; // of what is left out
    for (let at = 0; at < text.length; at += 1) {
      if (this.#pieces.has(text.slice(at, at + pieceLength))) {
        if (at >= end) clean += '***';
        end = at + pieceLength;
      }
      if (at >= end) clean += text.charAt(at);
    }
    return [...this.#short].reduce((shown, secret) => shown.replaceAll(secret, '***'), clean);
  }
}
