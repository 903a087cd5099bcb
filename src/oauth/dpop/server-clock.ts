/** A server's clock is believed within so much of ours: further away it is not the clock that is wrong. In seconds. */
const maxSkew = 24 * 3600;

/** Proofs may be that much off everywhere: less is no reason to try again. In seconds. */
const minSkew = 5;

/**
 * Seconds by which the clock of a server is ahead of ours, by the `Date` of its response; undefined where there is none,
 * and where it says nothing that explains a refused proof.
 * @param now Of our clock, in milliseconds since 1970.
 */
export function skewOf(date: string | undefined, now: number): number | undefined {
  if (date === undefined || date.length > 64) return undefined;
  const skew = Math.round((Date.parse(date) - now) / 1000);
  return Math.abs(skew) >= minSkew && Math.abs(skew) <= maxSkew ? skew : undefined;
}

/** Longest nonce that is sent back, in characters. */
const longestNonce = 2_048;

/** A `DPoP-Nonce` that may stand in a proof (RFC 9449 section 8.1: NQCHAR). */
export function usableNonce(nonce: string | undefined): string | undefined {
  const isUsable = nonce !== undefined && nonce.length <= longestNonce && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(nonce);
  return isUsable ? nonce : undefined;
}
