import { resourceCovers } from '../core/resource.js';
import type { Secret } from '../core/secret.js';
import { type JsonObject, parseObject } from '../core/text/json.js';
import { printable } from '../core/text/printable.js';
import { gateUrl } from '../core/url.js';

/** Whose login it is, as the authorization server tells it. Shown, and compared at a refresh; never trusted for anything. */
export interface Identity {
  readonly subject: string;
  /** An e-mail address or a name where there is one, else the subject. */
  readonly shown: string;
  /** `preferred_username`, else `name`. */
  readonly name: string | undefined;
  readonly email: string | undefined;
}

const longest = 255;

/**
 * The identity in an ID token that came from the token endpoint itself, whose TLS takes the place of its signature (OpenID
 * Connect Core 1.0, section 3.1.3.7); undefined where it is not of this issuer, for this client, or not whole.
 */
export function identityIn(
  idToken: Secret | undefined,
  expected: { readonly issuer: string; readonly clientId: string },
): Identity | undefined {
  const claims = idToken && unverifiedClaims(idToken.reveal());
  if (claims === undefined) return undefined;
  const { iss, aud, sub } = claims;
  const isOurs = (Array.isArray(aud) ? aud : [aud]).includes(expected.clientId);
  const isWhole = typeof sub === 'string' && sub !== '' && sub.length <= longest;
  if (iss !== expected.issuer || !isOurs || !isWhole) return undefined;
  const email = textIn(claims, 'email');
  const name = textIn(claims, 'preferred_username') ?? textIn(claims, 'name');
  return { subject: sub, shown: email ?? name ?? sub, name, email };
}

function textIn(claims: JsonObject, claim: string): string | undefined {
  const text = claims[claim];
  return typeof text === 'string' && text !== '' && text.length <= longest ? text : undefined;
}

/** The claims of a JWT (RFC 7519), nothing of it verified; undefined when it is none. For what is shown, never for trust. */
function unverifiedClaims(token: string): JsonObject | undefined {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined || !/^[\w+/-]+={0,2}$/.test(payload)) return undefined;
  return parseObject(Buffer.from(payload, 'base64url'), { maxDepth: 16, maxKeys: 1000 });
}

/**
 * A warning for an access token that says itself that it is for somebody else: a JWT (RFC 9068) whose `aud` names
 * URLs, and not one of them covers the server. Read for this warning alone and never believed: an access token is
 * the protected server's to validate. Undefined for every other token.
 */
export function audienceWarning(accessToken: Secret, server: string): string | undefined {
  // RFC 7519 section 4.1.3: one, or several.
  const aud = unverifiedClaims(accessToken.reveal())?.['aud'];
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string');
  const elsewhere = audiences.filter((one) => gateUrl(one).ok && resourceCovers(one, server) === 'no');
  if (audiences.length === 0 || elsewhere.length < audiences.length) return undefined;
  const names = printable(audiences.join(', '), 200);
  return `the token says that it is for ${names}, so this server will probably refuse it`;
}
