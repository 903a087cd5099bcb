import { asObject, type JsonObject, parseJson, stringField } from '../primitives/json.js';
import { Secret } from '../primitives/secret.js';
import { hashOfParts } from './item-key.js';
import { type ClientKey, clientKeyOf, privateText } from './oauth/client-key.js';

/**
 * Whose key it is. `issuer` is undefined for a key whose public half stands in a client ID metadata document, which any
 * authorization server may read.
 */
export interface ClientKeyBinding {
  readonly issuer: string | undefined;
  readonly clientId: string;
  readonly keyId: string;
}

/** The store key of a client's private key: hex, 64 characters. */
export function clientKeyKey({ issuer, clientId, keyId }: ClientKeyBinding): Promise<string> {
  return hashOfParts(['postern client key', issuer ?? '', clientId, keyId]);
}

/** The stored form of one private key; it repeats whose it is, so that a swapped item is noticed. */
export function encodeClientKey(binding: ClientKeyBinding, key: ClientKey): Secret {
  const { issuer, clientId, keyId } = binding;
  const privateJwk: unknown = JSON.parse(privateText(key).reveal());
  return new Secret(JSON.stringify({ version: 1, issuer: issuer ?? null, clientId, keyId, privateJwk }));
}

/** The key in an item's text, or undefined when the item is not the one that was written for this binding. */
export function decodeClientKey(text: Secret, expected: ClientKeyBinding): ClientKey | undefined {
  const parsed = parseJson(new TextEncoder().encode(text.reveal()), { maxDepth: 4, maxKeys: 50 });
  const item: JsonObject | undefined = parsed.ok ? asObject(parsed.value) : undefined;
  if (item === undefined || item['version'] !== 1) {
    return undefined;
  }
  const bound =
    (item['issuer'] ?? undefined) === expected.issuer &&
    stringField(item, 'clientId') === expected.clientId &&
    stringField(item, 'keyId') === expected.keyId;
  const key = bound ? clientKeyOf(asObject(item['privateJwk'])) : undefined;
  return key?.keyId === expected.keyId ? key : undefined;
}
