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

/** How far the clocks of two machines may be apart. */
const clockToleranceMs = 300_000;

/** What an ID token has to be of. */
export interface ExpectedIdToken {
  readonly issuer: string;
  readonly clientId: string;
  /** When it came, in milliseconds since 1970. Undefined: its time does not matter, as only its subject is compared. */
  readonly now: number | undefined;
}

/**
 * The identity in an ID token that came from the token endpoint itself, whose TLS takes the place of its signature (OpenID
 * Connect Core 1.0, section 3.1.3.7); undefined where `idTokenProblem` finds one, and where there is none.
 */
export function identityIn(idToken: Secret | undefined, expected: ExpectedIdToken): Identity | undefined {
  const claims = idToken && unverifiedClaims(idToken.reveal());
  const subject = claims && textIn(claims, 'sub');
  if (claims === undefined || subject === undefined || problemOf(claims, expected) !== undefined) return undefined;
  const email = textIn(claims, 'email');
  const name = textIn(claims, 'preferred_username') ?? textIn(claims, 'name');
  return { subject, shown: email ?? name ?? subject, name, email };
}

/** Why an ID token says nothing of who logged in; undefined for one that does. Ends the sentence, and quotes nothing. */
export function idTokenProblem(idToken: Secret, expected: ExpectedIdToken): string | undefined {
  const claims = unverifiedClaims(idToken.reveal());
  return claims === undefined ? 'it is no JSON web token' : problemOf(claims, expected);
}

/** No nonce is sent, so none is expected (section 3.1.3.7, step 11). */
function problemOf(claims: JsonObject, { issuer, clientId, now }: ExpectedIdToken): string | undefined {
  const { iss, aud, azp, exp } = claims;
  if (iss !== issuer) return 'it is of another issuer';
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(clientId) || (azp !== undefined && azp !== clientId)) return 'it is for another client';
  if (now !== undefined && typeof exp !== 'number') return 'it does not say when it expires';
  if (now !== undefined && Number(exp) * 1000 + clockToleranceMs <= now) return 'it has expired';
  return textIn(claims, 'sub') === undefined ? 'it names nobody' : undefined;
}

/** When an ID token says that it ends, in milliseconds since 1970; undefined: it does not. */
export function endOfIdToken(idToken: Secret): number | undefined {
  const exp = unverifiedClaims(idToken.reveal())?.['exp'];
  return typeof exp === 'number' && Number.isSafeInteger(Math.floor(exp)) && exp > 0
    ? Math.floor(exp) * 1000
    : undefined;
}

function textIn(claims: JsonObject, claim: string): string | undefined {
  const text = claims[claim];
  return typeof text === 'string' && text !== '' && text.length <= longest ? text : undefined;
}

/** The parts of a JWT (RFC 7519), nothing of it verified; undefined: it is none. */
export function partsOf(token: string) {
  const [head = '', payload = '', signature = '', ...more] = token.split('.');
  const header = objectIn(head);
  const claims = objectIn(payload);
  return header === undefined || claims === undefined || more.length > 0 ? undefined : { header, claims, signature };
}

/** A part of a JWT; our parser refuses members that are there twice. */
function objectIn(part: string): JsonObject | undefined {
  const isBase64Url = /^[\w-]+$/.test(part);
  return isBase64Url ? parseObject(Buffer.from(part, 'base64url'), { maxDepth: 16, maxKeys: 1000 }) : undefined;
}

/** The claims of a JWT, for what is shown, never for trust. */
export function unverifiedClaims(token: string): JsonObject | undefined {
  return partsOf(token)?.claims;
}

/** Whom a JWT (RFC 9068) says it is for (RFC 7519 section 4.1.3: one, or several), not verified; undefined: it is no JWT. */
export function audiencesIn(accessToken: Secret): readonly string[] | undefined {
  const claims = unverifiedClaims(accessToken.reveal());
  if (claims === undefined) return undefined;
  const { aud } = claims;
  return (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string');
}

/**
 * A warning for an access token that says itself that it is for somebody else: a JWT (RFC 9068) whose `aud` names
 * URLs, and not one of them covers the server. Read for this warning alone and never believed: an access token is
 * the protected server's to validate. Undefined for every other token.
 */
export function audienceWarning(accessToken: Secret, server: string): string | undefined {
  const audiences = audiencesIn(accessToken) ?? [];
  const elsewhere = audiences.filter((one) => gateUrl(one).ok && resourceCovers(one, server) === 'no');
  if (audiences.length === 0 || elsewhere.length < audiences.length) return undefined;
  const names = printable(audiences.join(', '), 200);
  return `the token says that it is for ${names}, so this server will probably refuse it`;
}
