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
