import { asObject, parseJson } from '../primitives/json.js';
import { Secret } from '../primitives/secret.js';

/** The stored form of one client secret; it repeats whose it is, so that a swapped item is noticed. */
export function encodeClientSecret(item: {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: Secret;
}): Secret {
  const { issuer, clientId } = item;
  return new Secret(JSON.stringify({ version: 1, issuer, clientId, clientSecret: item.secret.reveal() }));
}

/** The secret of this issuer's client, or undefined when the item is not that. */
export function decodeClientSecret(
  text: Secret,
  expected: { readonly issuer: string; readonly clientId: string },
): Secret | undefined {
  const parsed = parseJson(new TextEncoder().encode(text.reveal()));
  const item = parsed.ok ? asObject(parsed.value) : undefined;
  const secret = item?.['clientSecret'];
  const bound = item?.['issuer'] === expected.issuer && item['clientId'] === expected.clientId;
  return bound && item['version'] === 1 && typeof secret === 'string' ? new Secret(secret) : undefined;
}
