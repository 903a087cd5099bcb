import { defaultMinLifeMs } from '../token/valid-token.js';

/** A token is looked at again a minute before it ends; one that lives shorter than two minutes after half of its life. */
export function usedUntil(expiresAt: number | null, now: number): number {
  if (expiresAt === null) return Number.POSITIVE_INFINITY;
  return expiresAt - Math.min(defaultMinLifeMs, Math.max(0, expiresAt - now) / 2);
}
