import type { TokenEndpointResponse } from 'oauth4webapi';
import { parseScope, scopesMissing } from '../core/scope.js';
import { quotesSecret, Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import type { JsonObject } from '../core/text/json.js';
import { lifetimeSeconds } from '../core/time.js';
import type { HttpClient } from '../http/request.js';
import type { AuthorizationCode } from './authorization-response.js';
import { anyClient, anyServer, callTo, type EndpointRequest, type FailedRequest, validateResponse } from './engine.js';
import { tidyToken } from './leniency.js';

type ResourceRequest = EndpointRequest & { readonly resource: string };

/**
 * Redeems an authorization code (RFC 6749 section 4.1.3) with PKCE's verifier (RFC 7636 section 4.5) and
 * `resource` (RFC 8707 section 2.2).
 * @throws Failure of the HTTP client
 */
export async function sendCodeRequest(
  http: HttpClient,
  request: ResourceRequest & {
    readonly code: AuthorizationCode;
    readonly verifier: Secret;
    readonly redirectUri: string;
  },
): Promise<Response> {
  const { oauth, as, client, authentication, options } = await callTo('token_endpoint', http, request);
  const { code, redirectUri, verifier, resource } = request;
  return await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    code.parameters,
    redirectUri,
    verifier.reveal(),
    { ...options, additionalParameters: { resource } },
  );
}

/**
 * Refreshes (RFC 6749 section 6) with `resource` and the scope held.
 * @throws Failure of the HTTP client
 */
export async function sendRefreshRequest(
  http: HttpClient,
  request: ResourceRequest & { readonly refreshToken: Secret; readonly scopes: readonly string[] },
): Promise<Response> {
  const { oauth, as, client, authentication, options } = await callTo('token_endpoint', http, request);
  const refreshToken = request.refreshToken.reveal();
  const additionalParameters = withScope(request);
  return await oauth.refreshTokenGrantRequest(as, client, authentication, refreshToken, {
    ...options,
    additionalParameters,
  });
}

/**
 * Asks for a token of the client's own (RFC 6749 section 4.4.2) with `resource` (RFC 8707 section 2.2).
 * @throws Failure of the HTTP client
 */
export async function sendClientCredentialsRequest(
  http: HttpClient,
  request: ResourceRequest & { readonly scopes: readonly string[] },
): Promise<Response> {
  const { oauth, as, client, authentication, options } = await callTo('token_endpoint', http, request);
  return await oauth.clientCredentialsGrantRequest(as, client, authentication, withScope(request), options);
}

/** `resource`, and `scope` where there is one to name. */
export function withScope(request: { readonly resource: string; readonly scopes: readonly string[] }) {
  const { resource, scopes } = request;
  return { resource, ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) };
}

/** What a token response gives (RFC 6749 section 5.1). */
export interface IssuedToken {
  readonly accessToken: Secret;
  readonly refreshToken: Secret | undefined;
  /** Where one was offered. Looked at once, for whose login it is, and neither kept nor sent anywhere. */
  readonly idToken: Secret | undefined;
  /** Milliseconds since 1970, from the moment of receipt; null when the server did not say. */
  readonly expiresAt: number | null;
  readonly obtainedAt: number;
  readonly scopes: readonly string[];
  readonly warnings: readonly string[];
}

export type FailedToken = FailedRequest | { readonly ok: false; readonly problem: 'type'; readonly found: string };

export type TokenResult = { readonly ok: true; readonly token: IssuedToken } | FailedToken;

export interface TokenContext {
  /** The time of receipt, in milliseconds since 1970. */
  readonly now: number;
  /** The scopes asked for, which hold when the response does not name any (RFC 6749 section 5.1). */
  readonly requested: readonly string[];
  /** The request's own secrets: a name of scope that says one of them back, or a token of the response, is left out. */
  readonly sent: readonly (Secret | undefined)[];
}

/** Longest access or refresh token, in characters. */
const longestToken = 16 * 1024;

/** Validates the response of a token endpoint, whatever grant it was asked by. */
export async function validateTokenResponse(response: Response, context: TokenContext): Promise<TokenResult> {
  let received: JsonObject | undefined;
  const validated = await validateResponse(response, {
    success: 200,
    now: context.now,
    repair: (object) => {
      received = object;
      return tidyToken(object);
    },
    process: (oauth, tidy) => oauth.processGenericTokenEndpointResponse(anyServer, anyClient, tidy),
  });
  if (received === undefined) return unissued(validated);
  // Stricter: Bearer alone. The library takes DPoP, too, which nothing here can use.
  const type = received['token_type'];
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    const found = typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : 'none';
    return { ok: false, problem: 'type', found };
  }
  return validated.ok ? issuedToken(validated.body, received, context) : validated;
}

function unissued(validated: { readonly ok: true } | FailedRequest): FailedRequest {
  if (validated.ok) throw new Error('what the library takes was put right before');
  return validated;
}

function issuedToken(body: TokenEndpointResponse, received: JsonObject, context: TokenContext): TokenResult {
  const { access_token: access, refresh_token: refresh, scope } = body;
  const why = tokenProblem('access', access) ?? (refresh === undefined ? undefined : tokenProblem('refresh', refresh));
  if (why !== undefined) return { ok: false, problem: 'unusable', why };
  const identity = received['id_token'];
  const hasIdentity = typeof identity === 'string' && tokenProblem('ID', identity) === undefined;
  const accessToken = new Secret(access);
  const refreshToken = refresh === undefined ? undefined : new Secret(refresh);
  const idToken = hasIdentity ? new Secret(identity) : undefined;
  const granted = grantedScopes(scope, context, [accessToken, refreshToken, idToken, ...context.sent]);
  if (granted === undefined) return { ok: false, problem: 'unusable', why: 'its scope is malformed' };
  const lifetime = lifetimeSeconds(received['expires_in']);
  const unknown = lifetime.kind === 'unknown' ? lifetime.warning : undefined;
  return {
    ok: true,
    token: {
      accessToken,
      refreshToken,
      idToken,
      expiresAt: lifetime.kind === 'known' ? context.now + lifetime.seconds * 1000 : null,
      obtainedAt: context.now,
      scopes: granted.scopes,
      warnings: [...granted.warnings, ...(unknown === undefined ? [] : [unknown])],
    },
  };
}

/** Stricter: bounded, and nothing in it that a header or a format of credentials could read differently. Never quoted. */
function tokenProblem(kind: string, token: string): string | undefined {
  if (token.length > longestToken) return `its ${kind} token is longer than ${longestToken} characters`;
  return isTokenText(token) ? undefined : `its ${kind} token contains a forbidden character`;
}

/** Stricter: well-formed names alone, none that says a secret; they stand in the list of logins, in URLs and on the screen. */
function grantedScopes(
  value: string | undefined,
  { requested }: TokenContext,
  secrets: readonly (Secret | undefined)[],
): Pick<IssuedToken, 'scopes' | 'warnings'> | undefined {
  if (value === undefined) return { scopes: requested, warnings: [] };
  const parsed = parseScope(value);
  if (!parsed.ok) return undefined;
  const scopes = parsed.scopes.filter((scope) => !quotesSecret(scope, secrets));
  const narrowed = scopesMissing(scopes, requested).filter((scope) => scope !== 'offline_access');
  const widened = requested.length === 0 ? [] : scopesMissing(requested, scopes);
  const isEcho = scopes.length < parsed.scopes.length;
  return {
    scopes,
    warnings: [
      ...(isEcho ? ['the authorization server put a secret into the names of scope: left out'] : []),
      ...(narrowed.length === 0 ? [] : [`granted less than asked for: without ${narrowed.join(' ')}`]),
      ...(widened.length === 0 ? [] : [`granted more than asked for: ${widened.join(' ')}`]),
    ],
  };
}
