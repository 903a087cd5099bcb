import { createHash, randomBytes } from 'node:crypto';

const max = 1000;

/**
 * Values under random names (128 bits and more), each of which can be taken once and for a limited time. The
 * names are kept as hashes, so that whoever could read the records could use none of them.
 */
export class OneTime<T> {
  readonly #kept = new Map<string, { readonly value: T; readonly until: number }>();
  readonly #lifetimeMs: number;
  readonly #now: () => number;

  constructor(lifetimeMs: number, now: () => number) {
    this.#lifetimeMs = lifetimeMs;
    this.#now = now;
  }

  /** The name under which it can be taken. */
  put(value: T): string {
    const name = randomBytes(32).toString('base64url');
    this.#kept.set(hashOf(name), { value, until: this.#now() + this.#lifetimeMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > max && oldest !== undefined) this.#kept.delete(oldest);
    return name;
  }

  /** The value, which is gone then; undefined for a name that is unknown, used or too old. */
  take(name: string): T | undefined {
    const key = hashOf(name);
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    return kept !== undefined && kept.until > this.#now() ? kept.value : undefined;
  }
}

/** SHA-256, for values that are random enough to need no salt and no stretching. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
