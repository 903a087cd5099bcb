import type { ClientAuth, CustomFetchOptions } from 'oauth4webapi';
import { Secret } from '../core/secret.js';
import { isVscharText } from '../core/text/characters.js';
import { asObject, parseJson } from '../core/text/json.js';
import type { OutboundDoor } from '../http/request.js';
import { authenticateClient } from './client-authentication.js';
import { type EndpointRequest, sendForm, type TokenAnswer } from './token-request.js';
import type { RefusedTokenRequest, TransientTokenFailure } from './token-response.js';

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

/** What stands for a request that was pushed (RFC 9126 section 4). */
export function pushedRequestParameters(clientId: string, requestUri: string): Parameters {
  return [
    ['client_id', clientId],
    ['request_uri', requestUri],
  ];
}

/** The URL of a request. Each parameter occurs exactly once; what the endpoint's own query holds beside them stays. */
export function authorizationRequestUrl(endpoint: string, parameters: Parameters): string {
  const url = new URL(endpoint);
  for (const [name, value] of parameters) {
    url.searchParams.set(name, value);
  }
  return url.href;
}

export interface PushedRequest {
  /** Stands for the request at the authorization endpoint, once. */
  readonly requestUri: string;
  /** Milliseconds for which it can be opened. */
  readonly lifetimeMs: number;
}

export type PushJudgement =
  | { readonly ok: true; readonly pushed: PushedRequest }
  | RefusedTokenRequest
  | TransientTokenFailure
  | { readonly ok: false; readonly problem: 'unusable'; readonly why: string };

const longestRequestUri = 4096;

/**
 * Pushes an authorization request (RFC 9126 section 2.1) with the client's authentication, as at the token endpoint.
 * Sent once, never redirected.
 * @throws Failure of the door
 */
export async function pushAuthorizationRequest(
  door: OutboundDoor,
  request: EndpointRequest & { readonly parameters: readonly (readonly [string, string])[] },
): Promise<PushJudgement> {
  const {
    allowInsecureRequests,
    customFetch,
    processPushedAuthorizationResponse,
    pushedAuthorizationRequest,
  } = await import('oauth4webapi');
  const { endpoint, issuer, client } = request;
  const server = { issuer, pushed_authorization_request_endpoint: endpoint };
  const self = { client_id: client.clientId };
  const authentication: ClientAuth = async (_server, _client, form, headers) => {
    for (const [name, value] of await authenticateClient(client, issuer, form)) headers.set(name, value);
  };
  let answer: TokenAnswer | undefined;
  const response = await pushedAuthorizationRequest(
    server,
    self,
    authentication,
    request.parameters.map((parameter) => [...parameter]),
    {
      // The door holds plain http to loopback, as for every endpoint.
      [allowInsecureRequests]: true,
      [customFetch]: async (_url: string, { body, headers }: CustomFetchOptions<'POST', URLSearchParams>) => {
        answer = await sendForm(door, request, body.toString(), Object.entries(headers));
        return new Response(answer.bytes.length === 0 ? null : new Uint8Array(answer.bytes), {
          // RFC 9126 says 201; servers that say 200 mean the same.
          status: answer.status === 200 ? 201 : answer.status,
          headers: { 'content-type': 'application/json' },
        });
      },
    },
  );
  const refused = answer && refusalOf(answer);
  if (refused !== undefined) return refused;
  try {
    const { request_uri: requestUri, expires_in: seconds } = await processPushedAuthorizationResponse(
      server,
      self,
      response,
    );
    return requestUri.length <= longestRequestUri && isVscharText(requestUri)
      ? { ok: true, pushed: { requestUri, lifetimeMs: seconds * 1000 } }
      : { ok: false, problem: 'unusable', why: 'its request_uri is too long or has forbidden characters' };
  } catch {
    return { ok: false, problem: 'unusable', why: 'it has no usable request_uri and expires_in' };
  }
}

/** What a status that is none of success means (RFC 9126 section 2.3); undefined for the others. */
function refusalOf({ status, bytes }: TokenAnswer): RefusedTokenRequest | TransientTokenFailure | undefined {
  if (status === 200 || status === 201) return undefined;
  if (status >= 500 || status === 429 || status === 408) {
    return { ok: false, problem: 'transient', status, retryAfterMs: undefined };
  }
  const parsed = parseJson(bytes);
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const [error, said] = [text(object?.['error']), text(object?.['error_description'])];
  return { ok: false, problem: 'refused', status, error, said };
}

/** What proves that an answer belongs to our request: `state`, and PKCE's verifier with its S256 challenge. */
export interface Proof {
  readonly state: Secret;
  readonly verifier: Secret;
  readonly codeChallenge: string;
}

/** Fresh random state and verifier, 256 bits each (RFC 7636 section 4). Never used for a second attempt. */
export async function newProof(): Promise<Proof> {
  const { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } = await import(
    'oauth4webapi'
  );
  const verifier = generateRandomCodeVerifier();
  return {
    state: new Secret(generateRandomState()),
    verifier: new Secret(verifier),
    codeChallenge: await calculatePKCECodeChallenge(verifier),
  };
}
