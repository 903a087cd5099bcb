import { randomBytes } from 'node:crypto';

/** How long a nonce is the latest, in milliseconds; one that was is taken for as long again. */
const rotatesMs = 30_000;

/** Most nonces that are remembered. */
const maxKept = 1_000;

/** The nonces that proofs have to hold (RFC 9449 section 9). */
export class Nonces {
  readonly #now: () => number;
  /** With the time when each was made, the latest last. */
  readonly #made = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The one to hold from now on. */
  latest(): string {
    const [nonce, at] = [...this.#made].at(-1) ?? ['', Number.NEGATIVE_INFINITY];
    return this.#now() - at < rotatesMs ? nonce : this.fresh();
  }

  /** Another one. */
  fresh(): string {
    const nonce = randomBytes(16).toString('base64url');
    this.#made.set(nonce, this.#now());
    const [oldest = ''] = this.#made.keys();
    if (this.#made.size > maxKept) this.#made.delete(oldest);
    return nonce;
  }

  /** @param once Takes none twice. */
  takes(nonce: unknown, once: boolean): boolean {
    const at = typeof nonce === 'string' ? this.#made.get(nonce) : undefined;
    if (at === undefined || this.#now() - at > 2 * rotatesMs) return false;
    if (once) this.#made.delete(String(nonce));
    return true;
  }
}
