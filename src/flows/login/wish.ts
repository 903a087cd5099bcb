import type { LoginRecord } from '../../primitives/records.js';
import { scopesMissing, unionScopes } from '../../primitives/scope.js';
import { hashOfParts } from '../../protocol/item-key.js';
import type { LoginRequest } from './login.js';

/** What of a request decides which credential comes of it; how the person gets there (browser, port, time) does not. */
export type Wish = Pick<
  LoginRequest,
  'scopes' | 'heldScopes' | 'issuer' | 'registration' | 'client' | 'metadataUrl' | 'store'
>;

/**
 * Two hashes with a dash between, over what a login's record does not tell: which scopes were asked for and as which
 * document, and which scopes were to be kept beside them.
 */
export async function wishOf({ scopes, heldScopes, metadataUrl }: Wish): Promise<string> {
  const texts = [listed(scopes), metadataUrl].map((part) => (part === undefined ? 'open' : `= ${part}`));
  return `${await hashOfParts(['postern wish', ...texts])}-${await hashOfParts([listed(heldScopes) ?? ''])}`;
}

/**
 * Does this login, which another process made, give what is asked for here: from the issuer, as the client, in the store
 * that are named, if any are, and with the scopes? These will do when the same were asked for there, and nothing held is
 * lost; else when all that are named here are there. More scope than a person named is not what he asked for; at a
 * step-up it is.
 */
export async function serves(made: LoginRecord, request: Wish): Promise<boolean> {
  const { scopes, heldScopes, issuer, registration, client, metadataUrl, store } = request;
  const asNamed = (named: string | undefined, found: string) => named === undefined || named === found;
  const isSuch =
    made.dead !== true &&
    made.grant === undefined &&
    asNamed(issuer, made.issuer) &&
    asNamed(registration, made.registration) &&
    asNamed(client?.clientId, made.clientId) &&
    (made.registration !== 'metadata' || asNamed(metadataUrl, made.clientId)) &&
    asNamed(store, made.store);
  if (!isSuch) return false;
  const wish = await wishOf(request);
  const nothingLost = scopesMissing(made.scopes, heldScopes).length === 0;
  if (made.wish === wish || (nothingLost && made.wish?.split('-')[0] === wish.split('-')[0])) {
    return true;
  }
  // Without `scopes` it is the server that says which: only who asked for the same is sure to have got them.
  const wanted = scopes && unionScopes(heldScopes, scopes);
  if (wanted === undefined || scopesMissing(made.scopes, wanted).length > 0) return false;
  return heldScopes.length > 0 || scopesMissing([...wanted, 'offline_access'], made.scopes).length === 0;
}

function listed(scopes: readonly string[] | undefined): string | undefined {
  return scopes?.toSorted().join(' ');
}
