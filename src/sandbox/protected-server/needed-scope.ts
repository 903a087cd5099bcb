import type { ScopeChallengeHandler } from '@modelcontextprotocol/server';
import { scopesMissing, unionScopes } from '../../core/scope.js';
import { resourceScopes } from '../authorization-server/scopes.js';

/** The scope that a tool, resource or prompt of this server can ask for. */
export type ResourceScope = keyof typeof resourceScopes;

/**
 * What to ask for when `needed` is missing: that, and what is held of this server's own scopes, always in the
 * same order, so that the same caller reads the same string every time.
 */
export function widenedScopes(held: readonly string[], needed: readonly string[]): readonly string[] {
  const wanted = new Set(unionScopes(held, needed));
  const own = Object.keys(resourceScopes);
  return [...own.filter((scope) => wanted.has(scope)), ...scopesMissing(own, needed)];
}

/** Declares what a tool, resource or prompt needs; the SDK asks before it hands the message on. */
export function needs(scope: ResourceScope): ScopeChallengeHandler {
  return ({ authInfo }) => {
    const held = authInfo?.scopes ?? [];
    if (held.includes(scope)) return undefined;
    const [first, ...others] = widenedScopes(held, [scope]);
    return { scopes: [first ?? scope, ...others], errorDescription: `This needs the scope ${scope}` };
  };
}
