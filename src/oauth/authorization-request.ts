import { Secret } from '../core/secret.js';
import { isVscharText } from '../core/text/characters.js';
import type { HttpClient } from '../http/request.js';
import { callTo, type EndpointRequest, type FailedRequest, unusable, validateResponse } from './engine.js';

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  /** Empty: no `scope` parameter at all. */
  readonly scopes: readonly string[];
  readonly state: string;
  readonly codeChallenge: string;
}

/** Longest authorization request that is opened, in characters. */
export const longestAuthorizationRequest = 8192;

type Parameters = readonly (readonly [name: string, value: string])[];

/** An authorization request (RFC 6749 section 4.1.1) with PKCE S256 (RFC 7636) and `resource` (RFC 8707). */
export function authorizationRequestParameters(request: AuthorizationRequest): Parameters {
  return [
    ['response_type', 'code'],
    ['client_id', request.clientId],
    ['redirect_uri', request.redirectUri],
    ['state', request.state],
    ['code_challenge', request.codeChallenge],
    ['code_challenge_method', 'S256'],
    ['resource', request.resource],
    ...(request.scopes.length === 0 ? [] : ([['scope', request.scopes.join(' ')]] as const)),
    // Authorization servers with OpenID's habits drop offline_access unless consent is asked for.
    ...(request.scopes.includes('offline_access') ? ([['prompt', 'consent']] as const) : []),
  ];
}

/** What takes the place of a request that was pushed (RFC 9126 section 4). */
export function pushedRequestParameters(clientId: string, requestUri: string): Parameters {
  return [
    ['client_id', clientId],
    ['request_uri', requestUri],
  ];
}

/** The URL of a request. Each parameter occurs exactly once; what else the endpoint's own query holds stays. */
export function authorizationRequestUrl(endpoint: string, parameters: Parameters): string {
  const url = new URL(endpoint);
  for (const [name, value] of parameters) {
    url.searchParams.set(name, value);
  }
  return url.href;
}

export interface PushedRequest {
  /** Takes the place of the request at the authorization endpoint, once. */
  readonly requestUri: string;
  /** Milliseconds for which it can be opened. */
  readonly lifetimeMs: number;
}

/**
 * Pushes an authorization request (RFC 9126 section 2.1) with the client's authentication, as at the token endpoint.
 * @throws Failure of the HTTP client
 */
export async function pushAuthorizationRequest(
  http: HttpClient,
  request: EndpointRequest & { readonly parameters: Parameters; readonly now: number },
): Promise<{ readonly ok: true; readonly pushed: PushedRequest } | FailedRequest> {
  const to = await callTo('pushed_authorization_request_endpoint', http, request);
  const { oauth, as, client, authentication, options } = to;
  const parameters = request.parameters.map((parameter) => [...parameter]);
  const response = await oauth.pushedAuthorizationRequest(as, client, authentication, parameters, options);
  const validated = await validateResponse(response, {
    success: 201,
    now: request.now,
    process: (_oauth, tidy) => oauth.processPushedAuthorizationResponse(as, client, tidy),
  });
  if (!validated.ok) return validated;
  const { request_uri: requestUri, expires_in: seconds } = validated.body;
  // Stricter: it is part of the URL that a browser opens.
  return requestUri.length <= 4096 && isVscharText(requestUri)
    ? { ok: true, pushed: { requestUri, lifetimeMs: seconds * 1000 } }
    : unusable('its request_uri is too long or has forbidden characters');
}

/** What proves that a response belongs to our request: `state`, and PKCE's verifier with its S256 challenge. */
export interface Proof {
  readonly state: Secret;
  readonly verifier: Secret;
  readonly codeChallenge: string;
}

/** Fresh random state and verifier, 256 bits each (RFC 7636 section 4). Never used for a second attempt. */
export async function newProof(): Promise<Proof> {
  const { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } = await import('oauth4webapi');
  const verifier = generateRandomCodeVerifier();
  return {
    state: new Secret(generateRandomState()),
    verifier: new Secret(verifier),
    codeChallenge: await calculatePKCECodeChallenge(verifier),
  };
}
