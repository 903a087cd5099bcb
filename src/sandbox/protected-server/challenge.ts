import type { SentResponse } from '../wire/response.js';
import { jsonResponse } from './json-response.js';

/** What every challenge of one server repeats. */
export interface ChallengeParts {
  /** Address of the protected resource metadata; absent: not named (RFC 9728 section 5.1). */
  readonly metadata: string | undefined;
  /** Scopes that the request needs. */
  readonly scopes: readonly string[];
}

/** What went wrong, in constant words: quotes and backslashes have no place in it (RFC 6750 section 3). */
export interface ChallengeError {
  readonly error: 'invalid_request' | 'invalid_token' | 'insufficient_scope';
  readonly description: string;
}

const statuses = { invalid_request: 400, invalid_token: 401, insufficient_scope: 403 } as const;

/** 401 for a request without a token: a challenge that says how to get one, and no error (RFC 6750 section 3.1). */
export function tokenMissing(parts: ChallengeParts): SentResponse {
  return jsonResponse(401, { error: 'unauthorized' }, [['www-authenticate', bearerChallenge(parts)]]);
}

/** 400, 401 or 403 with the error in the challenge and in the body (RFC 6750 section 3.1). */
export function tokenRefused(parts: ChallengeParts, problem: ChallengeError): SentResponse {
  return jsonResponse(statuses[problem.error], { error: problem.error, error_description: problem.description }, [
    ['www-authenticate', bearerChallenge(parts, problem)],
  ]);
}

function bearerChallenge(parts: ChallengeParts, problem?: ChallengeError): string {
  const named = [
    ['error', problem?.error],
    ['error_description', problem?.description],
    ['scope', parts.scopes.join(' ')],
    ['resource_metadata', parts.metadata],
  ];
  const given = named.filter(([, value]) => value !== undefined);
  return `Bearer ${given.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
