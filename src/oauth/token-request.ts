import type { Zone } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { OutboundDoor } from '../http/request.js';
import { authenticateClient, type ClientAuthentication } from './client-authentication.js';

/** Limits of one token request: 64 KiB, 15 s in all. */
const tokenLimits = { of: 'token', totalMs: 15_000, headersMs: 15_000, maxBytes: 64 * 1024 } as const;

export interface TokenAnswer {
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly retryAfter: string | undefined;
}

export interface EndpointRequest {
  readonly endpoint: string;
  readonly issuer: string;
  readonly client: ClientAuthentication;
  readonly zone: Zone;
  readonly signal: AbortSignal;
}

/**
 * Redeems an authorization code (RFC 6749 section 4.1.3) with PKCE's verifier (RFC 7636 section 4.5) and
 * `resource` (RFC 8707 section 2.2). Sent once, never redirected.
 * @throws Failure of the door
 */
export function sendCodeRequest(
  door: OutboundDoor,
  request: EndpointRequest & {
    readonly code: Secret;
    readonly verifier: Secret;
    readonly redirectUri: string;
    readonly resource: string;
  },
): Promise<TokenAnswer> {
  return postForm(door, request, [
    ['grant_type', 'authorization_code'],
    ['code', request.code.reveal()],
    ['redirect_uri', request.redirectUri],
    ['code_verifier', request.verifier.reveal()],
    ['resource', request.resource],
  ]);
}

/**
 * Refreshes (RFC 6749 section 6) with `resource` and the scope held.
 * @throws Failure of the door
 */
export function sendRefreshRequest(
  door: OutboundDoor,
  request: EndpointRequest & {
    readonly refreshToken: Secret;
    readonly scopes: readonly string[];
    readonly resource: string;
  },
): Promise<TokenAnswer> {
  return postForm(door, request, [
    ['grant_type', 'refresh_token'],
    ['refresh_token', request.refreshToken.reveal()],
    ['resource', request.resource],
    ...(request.scopes.length === 0 ? [] : ([['scope', request.scopes.join(' ')]] as const)),
  ]);
}

/**
 * Asks for a token of the client's own (RFC 6749 section 4.4.2) with `resource` (RFC 8707 section 2.2).
 * @throws Failure of the door
 */
export function sendClientCredentialsRequest(
  door: OutboundDoor,
  request: EndpointRequest & { readonly scopes: readonly string[]; readonly resource: string },
): Promise<TokenAnswer> {
  return postForm(door, request, [
    ['grant_type', 'client_credentials'],
    ['resource', request.resource],
    ...(request.scopes.length === 0 ? [] : ([['scope', request.scopes.join(' ')]] as const)),
  ]);
}

/**
 * Revokes a refresh or access token (RFC 7009 section 2.1).
 * @throws Failure of the door
 */
export function sendRevocationRequest(
  door: OutboundDoor,
  request: EndpointRequest & { readonly token: Secret; readonly hint: 'refresh_token' | 'access_token' },
): Promise<TokenAnswer> {
  return postForm(door, request, [
    ['token', request.token.reveal()],
    ['token_type_hint', request.hint],
  ]);
}

/** Posts a form with the client's authentication; sent once, never redirected. @throws Failure of the door */
export async function postForm(
  door: OutboundDoor,
  request: EndpointRequest,
  parameters: readonly (readonly [string, string])[],
): Promise<TokenAnswer> {
  const form = new URLSearchParams(parameters.map(([name, value]) => [name, value]));
  const authentication = await authenticateClient(request.client, request.issuer, form);
  return sendForm(door, request, form.toString(), [
    ['content-type', 'application/x-www-form-urlencoded'],
    ['accept', 'application/json'],
    ...authentication,
  ]);
}

/** Posts a form that is ready, once, under the limits of a token request; never redirected. @throws Failure of the door */
export async function sendForm(
  door: OutboundDoor,
  request: Pick<EndpointRequest, 'endpoint' | 'zone' | 'signal'>,
  body: string,
  headers: readonly (readonly [string, string])[],
): Promise<TokenAnswer> {
  await using response = await door.send({
    method: 'POST',
    url: request.endpoint,
    headers,
    body,
    namedBy: request.zone,
    redirects: 'refuse',
    limits: tokenLimits,
    signal: request.signal,
  });
  return {
    status: response.status,
    bytes: await response.bytes(),
    retryAfter: response.headers.find(([name]) => name === 'retry-after')?.[1],
  };
}
