import { createHash } from 'node:crypto';

/** SHA-256, for values that are random enough to need no salt and no stretching. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
