import type { Secret } from '../core/secret.js';
import type { HttpClient } from '../http/request.js';
import { callTo, type EndpointRequest, validateResponse } from './engine.js';

export type RevocationResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: number; readonly error?: string };

/**
 * Revokes a refresh or access token (RFC 7009 section 2.1).
 * @throws Failure of the HTTP client
 */
export async function revokeToken(
  http: HttpClient,
  request: EndpointRequest & {
    readonly token: Secret;
    readonly hint: 'refresh_token' | 'access_token';
    readonly now: number;
  },
): Promise<RevocationResult> {
  const { oauth, as, client, authentication, options } = await callTo('revocation_endpoint', http, request);
  const response = await oauth.revocationRequest(as, client, authentication, request.token.reveal(), {
    ...options,
    additionalParameters: { token_type_hint: request.hint },
  });
  const { status } = response;
  const validated = await validateResponse(response, {
    success: 200,
    now: request.now,
    hasBody: false,
    isRepeated: false,
    process: (_oauth, tidy) => oauth.processRevocationResponse(tidy),
  });
  if (validated.ok) return { ok: true };
  return { ok: false, status, ...(validated.problem === 'refused' ? { error: validated.error } : {}) };
}
