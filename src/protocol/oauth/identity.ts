import type { JsonObject } from '../../primitives/json.js';
import type { Secret } from '../../primitives/secret.js';
import { unverifiedClaims } from './jwt-claims.js';

/** Whose login it is, as the authorization server tells it. Shown, and compared at a refresh; never trusted for anything. */
export interface Identity {
  readonly subject: string;
  /** An e-mail address or a name where there is one, else the subject. */
  readonly shown: string;
}

const longest = 255;

/**
 * The identity in an ID token that came from the token endpoint itself, whose TLS stands for its signature (OpenID
 * Connect Core 1.0, section 3.1.3.7); undefined where it is not of this issuer, for this client, or not whole.
 */
export function identityIn(
  idToken: Secret | undefined,
  expected: { readonly issuer: string; readonly clientId: string },
): Identity | undefined {
  const claims = idToken && unverifiedClaims(idToken.reveal());
  if (claims === undefined) {
    return undefined;
  }
  const { iss, aud, sub } = claims;
  const isOurs = (Array.isArray(aud) ? aud : [aud]).includes(expected.clientId);
  const isWhole = typeof sub === 'string' && sub !== '' && sub.length <= longest;
  return iss === expected.issuer && isOurs && isWhole
    ? { subject: sub, shown: nameIn(claims) ?? sub }
    : undefined;
}

function nameIn(claims: JsonObject): string | undefined {
  const names = [claims['email'], claims['preferred_username'], claims['name']];
  return names.find((name) => typeof name === 'string' && name !== '' && name.length <= longest) as
    | string
    | undefined;
}
