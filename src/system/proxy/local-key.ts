import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../../primitives/secret.js';

/** The key of one start of the proxy. */
export interface LocalKey {
  readonly secret: Secret;
  /** In the same time whatever is offered; only its length, which is no secret, may tell. */
  isEqualTo(offered: string): boolean;
}

/** Makes a key of 256 random bits: 43 characters of base64url, so that it can stand in a path as it is. */
export function newLocalKey(): LocalKey {
  const text = randomBytes(32).toString('base64url');
  const expected = Buffer.from(text, 'latin1');
  const given = Buffer.alloc(expected.length);
  return {
    secret: new Secret(text),
    isEqualTo: (offered) => {
      if (offered.length !== expected.length) return false;
      given.write(offered, 'latin1');
      return timingSafeEqual(given, expected);
    },
  };
}
