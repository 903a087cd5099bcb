import { unionScopes } from '../core/scope.js';
import type { Discovery } from './discover.js';

/**
 * The scopes to ask for (rule 5.4): the person's own, else the challenge's, else all that the protected resource
 * metadata lists, else none, which leaves the parameter out. `held` scopes are kept at a step-up. `offline_access`
 * joins them where the authorization server lists it, and only there: it is what makes a login last.
 */
export function selectScopes(
  discovery: Discovery,
  wanted: { readonly scopes: readonly string[] | undefined; readonly held: readonly string[] },
): readonly string[] {
  const { protectedResource, challengedScopes, authorizationServer } = discovery;
  const base = wanted.scopes ?? challengedScopes ?? protectedResource.scopesSupported ?? [];
  const asked = unionScopes(wanted.held, base);
  const lasting =
    asked.length > 0 &&
    authorizationServer.scopesSupported.includes('offline_access') &&
    (authorizationServer.grantTypes?.includes('refresh_token') ?? true);
  return lasting ? unionScopes(asked, ['offline_access']) : asked;
}

/** The scopes to name in a registration, which some servers hold a client to: asked for, plus what both documents list. */
export function scopesToRegister(discovery: Discovery, asked: readonly string[]): readonly string[] {
  const resourceScopes = discovery.protectedResource.scopesSupported ?? [];
  return asked.length === 0 && resourceScopes.length === 0
    ? []
    : unionScopes(unionScopes(asked, resourceScopes), discovery.authorizationServer.scopesSupported);
}
