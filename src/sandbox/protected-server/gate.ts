import type { IncomingMessage } from 'node:http';
import { scopesMissing } from '../../core/scope.js';
import type { SentResponse } from '../wire/response.js';
import { presentedToken } from './bearer-token.js';
import { type ChallengeParts, tokenMissing, tokenRefused } from './challenge.js';
import { widenedScopes } from './needed-scope.js';
import type { ProtectedServerSettings } from './options.js';
import type { ProofGate } from './proofs/proof-gate.js';
import { metadataUrl } from './resource-metadata.js';
import { type Caller, tokenVerifier } from './verify-token.js';

export type Entry = { readonly caller: Caller } | { readonly refusal: SentResponse };

/** Decides who may enter, from the header alone: before it has said yes, nothing of a request is processed. */
export function tokenGate(
  settings: ProtectedServerSettings,
  proofs: ProofGate,
): (request: IncomingMessage) => Promise<Entry> {
  const verify = tokenVerifier(settings);
  const needed = settings.requiredScopes;
  const parts = { metadata: metadataUrl(settings), scopes: needed };
  return async (request) => {
    const { schemes } = proofs;
    const challenge: ChallengeParts = { ...parts, schemes };
    const presented = presentedToken(request);
    // To a server that knows no proofs, their scheme is like none at all.
    const isUnknown = presented.kind === 'token' && presented.scheme === 'dpop' && !schemes.includes('DPoP');
    if (presented.kind === 'none' || isUnknown) return { refusal: tokenMissing(challenge) };
    if (presented.kind === 'bad-request') {
      return { refusal: tokenRefused(challenge, { error: 'invalid_request', description: presented.problem }) };
    }
    const verified = await verify(presented.token);
    if (!verified.ok) {
      return { refusal: tokenRefused(challenge, { error: 'invalid_token', description: verified.problem }) };
    }
    const { caller } = verified;
    const { scheme, token } = presented;
    const problem = await proofs.problem(request, { scheme, token, caller });
    if (problem !== undefined) return { refusal: tokenRefused(challenge, problem) };
    if (scopesMissing(caller.scopes, needed).length === 0) return { caller };
    return {
      refusal: tokenRefused(
        { ...challenge, scopes: widenedScopes(caller.scopes, needed) },
        { error: 'insufficient_scope', description: `This server needs the scope ${needed.join(' ')}` },
      ),
    };
  };
}
