import { jsonResponse, type SentResponse } from '../wire/response.js';

/** What every challenge of one server repeats. */
export interface ChallengeParts {
  /** Address of the protected resource metadata; absent: not named (RFC 9728 section 5.1). */
  readonly metadata: string | undefined;
  /** Scopes that the request needs. */
  readonly scopes: readonly string[];
  /** In which schemes a token is taken; absent: Bearer. */
  readonly schemes?: readonly ('Bearer' | 'DPoP')[];
}

/** What went wrong, in constant words: quotes and backslashes have no place in it (RFC 6750 section 3). */
export interface ChallengeError {
  readonly error: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | 'use_dpop_nonce';
  readonly description: string;
}

const statuses = {
  invalid_request: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  invalid_dpop_proof: 401,
  use_dpop_nonce: 401,
} as const;

/** 401 for a request without a token: a challenge that says how to get one, and no error (RFC 6750 section 3.1). */
export function tokenMissing(parts: ChallengeParts): SentResponse {
  return jsonResponse(401, { error: 'unauthorized' }, challenges(parts));
}

/** 400, 401 or 403 with the error in the challenge and in the body (RFC 6750 section 3.1). */
export function tokenRefused(parts: ChallengeParts, problem: ChallengeError): SentResponse {
  return jsonResponse(statuses[problem.error], { error: problem.error, error_description: problem.description }, [
    ...challenges(parts, problem),
  ]);
}

function challenges(parts: ChallengeParts, problem?: ChallengeError): SentResponse['headers'] {
  const { schemes = ['Bearer'] } = parts;
  // What is wrong with a proof is nothing to whoever brings none.
  const isAboutProof = problem?.error === 'invalid_dpop_proof' || problem?.error === 'use_dpop_nonce';
  return schemes.map((scheme) => [
    'www-authenticate',
    challengeIn(scheme, parts, scheme === 'Bearer' && isAboutProof ? undefined : problem),
  ]);
}

function challengeIn(scheme: 'Bearer' | 'DPoP', parts: ChallengeParts, problem?: ChallengeError): string {
  const named = [
    ['error', problem?.error],
    ['error_description', problem?.description],
    ['scope', parts.scopes.join(' ')],
    ['resource_metadata', parts.metadata],
    ['algs', scheme === 'DPoP' ? 'ES256' : undefined],
  ];
  const given = named.filter(([, value]) => value !== undefined);
  return `${scheme} ${given.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
