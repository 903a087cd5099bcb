import { printable } from '../../primitives/printable.js';
import { resourceCovers } from '../../primitives/resource.js';
import type { Secret } from '../../primitives/secret.js';
import { gateUrl } from '../../primitives/url-gate.js';
import { unverifiedClaims } from './jwt-claims.js';

/**
 * A warning for an access token that says itself that it is for somebody else: a JWT (RFC 9068) whose `aud` names
 * URLs, and not one of them covers the server. Read for this warning alone and never believed: an access token is
 * the protected server's to judge. Undefined for every other token.
 */
export function audienceWarning(accessToken: Secret, server: string): string | undefined {
  const audiences = audiencesOf(accessToken.reveal());
  const elsewhere = audiences.filter((aud) => gateUrl(aud).ok && resourceCovers(aud, server) === 'no');
  if (audiences.length === 0 || elsewhere.length < audiences.length) {
    return undefined;
  }
  const names = printable(audiences.join(', '), 200);
  return `the token says that it is for ${names}, so this server will probably refuse it`;
}

/** The `aud` of a JWT (RFC 7519 section 4.1.3); empty when it is none, or has none. */
function audiencesOf(token: string): readonly string[] {
  const aud = unverifiedClaims(token)?.['aud'];
  return (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string');
}
