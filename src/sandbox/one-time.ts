import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

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
    const name = randomSecret();
    this.#kept.set(hashOf(name), { value, until: this.#now() + this.#lifetimeMs });
    forgetOldest(this.#kept, max);
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

/** 256 bits that nobody can guess. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares without telling by its time how much of it is right. */
export function isSameSecret(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** Drops what was put in first, where there is more than `limit`. */
export function forgetOldest(kept: Map<string, unknown> | Set<string>, limit: number): void {
  const [oldest] = kept.keys();
  if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
}
