import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits in base64url, 43 characters. */
export function newNonce(): string {
  return randomBytes(32).toString('base64url');
}

/** A check for one expected text that takes the same time whatever is offered, and does not keep the text. */
export function equalityTo(expected: string): (offered: string) => boolean {
  const digest = digestOf(expected);
  return (offered) => timingSafeEqual(digest, digestOf(offered));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
