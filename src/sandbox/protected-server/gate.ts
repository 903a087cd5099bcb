import type { IncomingMessage } from 'node:http';
import { scopesMissing } from '../../core/scope.js';
import type { SentResponse } from '../wire/response.js';
import { presentedToken } from './bearer-token.js';
import { type ChallengeParts, tokenMissing, tokenRefused } from './challenge.js';
import { widenedScopes } from './needed-scope.js';
import type { ProtectedServerSettings } from './options.js';
import { metadataUrl } from './resource-metadata.js';
import { type Caller, tokenVerifier } from './verify-token.js';

export type Entry = { readonly caller: Caller } | { readonly refusal: SentResponse };

/** Decides who may enter, from the header alone: before it has said yes, nothing of a request is processed. */
export function tokenGate(settings: ProtectedServerSettings): (request: IncomingMessage) => Promise<Entry> {
  const verify = tokenVerifier(settings);
  const needed = settings.requiredScopes;
  const challenge: ChallengeParts = { metadata: metadataUrl(settings), scopes: needed };
  return async (request) => {
    const presented = presentedToken(request);
    if (presented.kind === 'none') return { refusal: tokenMissing(challenge) };
    if (presented.kind === 'bad-request') {
      return { refusal: tokenRefused(challenge, { error: 'invalid_request', description: presented.problem }) };
    }
    const verified = await verify(presented.token);
    if (!verified.ok) {
      return { refusal: tokenRefused(challenge, { error: 'invalid_token', description: verified.problem }) };
    }
    const { caller } = verified;
    if (scopesMissing(caller.scopes, needed).length === 0) return { caller };
    return {
      refusal: tokenRefused(
        { ...challenge, scopes: widenedScopes(caller.scopes, needed) },
        { error: 'insufficient_scope', description: `This server needs the scope ${needed.join(' ')}` },
      ),
    };
  };
}
