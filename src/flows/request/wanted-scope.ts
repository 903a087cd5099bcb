import { bearerChallenge } from '../../primitives/bearer-challenge.js';
import { parseScope } from '../../primitives/scope.js';

export interface WantedScope {
  readonly scopes: readonly string[];
  readonly said: string;
}

/** The scopes that the challenges of a 403 ask for; undefined when it is a plain refusal (RFC 6750 section 3.1). */
export function wantedScope(challenges: readonly string[]): WantedScope | undefined {
  const challenge = bearerChallenge(challenges);
  if (
    challenge.kind !== 'bearer' ||
    challenge.error !== 'insufficient_scope' ||
    challenge.scope === undefined
  ) {
    return undefined;
  }
  const parsed = parseScope(challenge.scope);
  return parsed.ok && parsed.scopes.length > 0
    ? { scopes: parsed.scopes, said: challenge.errorDescription ?? '' }
    : undefined;
}
