import type { IncomingMessage } from 'node:http';
import { scopesMissing } from '../../core/scope.js';
import { defaultScope } from '../authorization-server/scopes.js';
import { wantsNoLogin } from '../faults/server.js';
import { targetOf } from '../wire/request.js';
import type { SentResponse } from '../wire/response.js';
import { type ChallengeParts, tokenMissing, tokenRefused } from './challenge.js';
import { widenedScopes } from './needed-scope.js';
import type { ProtectedServerSettings } from './options.js';
import type { ProofGate } from './proof-gate.js';
import { metadataUrl } from './resource-metadata.js';
import { type Caller, tokenVerifier } from './verify-token.js';

export type Entry = { readonly caller: Caller } | { readonly refusal: SentResponse };

/** Decides who may enter, from the header alone: before it has said yes, nothing of a request is processed. */
export function tokenGate(
  settings: ProtectedServerSettings,
  proofs: ProofGate,
): (request: IncomingMessage) => Promise<Entry> {
  const verify = tokenVerifier(settings);
  const needed = [defaultScope];
  const parts = { metadata: metadataUrl(settings), scopes: needed };
  return async (request) => {
    const { schemes } = proofs;
    const challenge: ChallengeParts = { ...parts, schemes };
    if (settings.isFaulty(wantsNoLogin)) return { caller: nobody(needed) };
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

const nobody = (scopes: readonly string[]): Caller => ({
  ...{ subject: 'nobody', clientId: 'none', scopes },
  expiresAt: Math.floor(Date.now() / 1000) + 3600,
});

/** What a request brings by way of a token (RFC 6750 section 2, RFC 9449 section 7.1). */
type Presented =
  | { readonly kind: 'token'; readonly scheme: 'bearer' | 'dpop'; readonly token: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'bad-request'; readonly problem: string };

/**
 * The token of the `Authorization` header, the only place where one is taken from. A token in the query is
 * refused whatever else is sent, since it may be in logs by now.
 */
function presentedToken(request: IncomingMessage): Presented {
  if (targetOf(request).searchParams.has('access_token')) {
    return { kind: 'bad-request', problem: 'A token must not be in the query' };
  }
  const [value, ...more] = request.headersDistinct['authorization'] ?? [];
  if (more.length > 0) return { kind: 'bad-request', problem: 'There must be one Authorization header' };
  const [scheme, ...rest] = (value ?? '').split(' ');
  const token = rest.join(' ').trim();
  const named = (['bearer', 'dpop'] as const).find((one) => one === scheme?.toLowerCase());
  return named !== undefined && token !== '' ? { kind: 'token', scheme: named, token } : { kind: 'none' };
}
