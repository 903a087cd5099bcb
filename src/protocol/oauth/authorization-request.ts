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

/**
 * The URL of an authorization request (RFC 6749 section 4.1.1) with PKCE S256 (RFC 7636) and `resource`
 * (RFC 8707). Each parameter occurs exactly once; what the endpoint's own query holds beside them stays.
 */
export function authorizationRequestUrl(endpoint: string, request: AuthorizationRequest): string {
  const url = new URL(endpoint);
  const parameters: readonly (readonly [string, string])[] = [
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
  for (const [name, value] of parameters) {
    url.searchParams.set(name, value);
  }
  return url.href;
}
