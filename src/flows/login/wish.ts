import type { LoginRecord } from '../../primitives/records.js';
import { scopesMissing, unionScopes } from '../../primitives/scope.js';
import { hashOfParts } from '../../protocol/item-key.js';
import type { LoginRequest } from './login.js';

/** What of a request decides which credential comes of it; how the person gets there (browser, port, time) does not. */
export type Wish = Pick<
  LoginRequest,
  'scopes' | 'heldScopes' | 'issuer' | 'registration' | 'client' | 'metadataUrl' | 'store'
>;

/** Two hashes with a dash between: over what is asked for, and over the scopes that are to be kept beside it. */
export async function wishOf(request: Wish): Promise<string> {
  const { scopes, heldScopes, issuer, registration, client, metadataUrl, store } = request;
  const asked = [listed(scopes), issuer, registration, client?.clientId, metadataUrl, store];
  const texts = asked.map((part) => (part === undefined ? 'open' : `= ${part}`));
  return `${await hashOfParts(['postern wish', ...texts])}-${await hashOfParts([listed(heldScopes) ?? ''])}`;
}

/**
 * Does this login, which another process made, give what is asked for here? When the same was asked for there, and
 * nothing held is lost; else when all that is named here is there. More scope than a person named is not what he
 * asked for; at a step-up it is.
 */
export async function serves(made: LoginRecord, request: Wish): Promise<boolean> {
  if (made.dead === true || made.grant !== undefined) return false;
  const { scopes, heldScopes, issuer, registration, client, metadataUrl, store } = request;
  const wish = await wishOf(request);
  const nothingLost = scopesMissing(made.scopes, heldScopes).length === 0;
  if (made.wish === wish || (nothingLost && made.wish?.split('-')[0] === wish.split('-')[0])) {
    return true;
  }
  // Without `scopes` it is the server that says which: only the same wish is sure to have got them.
  const wanted = scopes && unionScopes(heldScopes, scopes);
  if (wanted === undefined || scopesMissing(made.scopes, wanted).length > 0) return false;
  const beyond = scopesMissing([...wanted, 'offline_access'], made.scopes);
  const asNamed = (named: string | undefined, found: string) => named === undefined || named === found;
  return (
    (heldScopes.length > 0 || beyond.length === 0) &&
    asNamed(issuer, made.issuer) &&
    asNamed(registration, made.registration) &&
    asNamed(client?.clientId, made.clientId) &&
    (made.registration !== 'metadata' || asNamed(metadataUrl, made.clientId)) &&
    asNamed(store, made.store)
  );
}

function listed(scopes: readonly string[] | undefined): string | undefined {
  return scopes?.toSorted().join(' ');
}
