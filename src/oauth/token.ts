import type { TokenEndpointResponse } from 'oauth4webapi';
import { defined } from '../core/records.js';
import { parseScope, scopesMissing } from '../core/scope.js';
import { quotesSecret, Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import type { JsonObject, JsonValue } from '../core/text/json.js';
import { endOf, lifetimeSeconds } from '../core/time.js';
import type { HttpClient } from '../http/request.js';
import type { Proofs } from './dpop/proofs.js';
import {
  anyClient,
  anyServer,
  callTo,
  type EndpointRequest,
  type FailedRequest,
  unusable,
  validateResponse,
} from './engine.js';
import { tidyToken } from './leniency.js';
import { jwtBearerGrant } from './workload/assertion.js';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * By what a token is asked for: an authorization code with PKCE's verifier (RFC 6749 section 4.1.3, RFC 7636 section 4.5),
 * a refresh token (RFC 6749 section 6), a device code (RFC 8628 section 3.4), as the client itself (RFC 6749 section 4.4.2),
 * or a token that a platform has signed for the client (RFC 7523 section 2.1).
 */
export type TokenGrant =
  | { readonly code: Secret; readonly verifier: Secret; readonly redirectUri: string }
  | { readonly refreshToken: Secret; readonly scopes: readonly string[] }
  | { readonly deviceCode: Secret }
  | { readonly client: 'itself'; readonly scopes: readonly string[] }
  | { readonly assertion: Secret; readonly scopes: readonly string[] };

export type TokenRequest = EndpointRequest & {
  /** Undefined: left out, by a person's choice. */
  readonly resource: string | undefined;
};

/**
 * Asks the token endpoint, with `resource` (RFC 8707 section 2.2).
 * @throws Failure of the HTTP client
 */
export async function sendTokenRequest(http: HttpClient, request: TokenRequest, grant: TokenGrant): Promise<Response> {
  const tried = new Set<string>();
  for (;;) {
    const response = await sendOnce(http, request, grant);
    const why = await request.dpop?.afterRefusal(response);
    if (why === undefined || tried.has(why)) return response;
    tried.add(why);
  }
}

async function sendOnce(http: HttpClient, request: TokenRequest, grant: TokenGrant): Promise<Response> {
  const { oauth, as, client, authentication, options } = await callTo('token_endpoint', http, request);
  const [grantType, parameters] = formOf(grant);
  const form = { ...withScope({ ...request, scopes: 'scopes' in grant ? grant.scopes : [] }), ...parameters };
  return await oauth.genericTokenEndpointRequest(as, client, authentication, grantType, form, options);
}

/** A grant on the wire. */
function formOf(grant: TokenGrant): readonly [grantType: string, parameters: Readonly<Record<string, string>>] {
  if ('code' in grant) {
    const { code, redirectUri, verifier } = grant;
    const proof = { redirect_uri: redirectUri, code_verifier: verifier.reveal() };
    return ['authorization_code', { code: code.reveal(), ...proof }];
  }
  if ('deviceCode' in grant) return [deviceGrant, { device_code: grant.deviceCode.reveal() }];
  if ('assertion' in grant) return [jwtBearerGrant, { assertion: grant.assertion.reveal() }];
  return 'client' in grant
    ? ['client_credentials', {}]
    : ['refresh_token', { refresh_token: grant.refreshToken.reveal() }];
}

/** `resource` and `scope`, each where there is one to name. */
export function withScope(wanted: { readonly resource: string | undefined; readonly scopes: readonly string[] }) {
  const { resource, scopes } = wanted;
  const target = resource === undefined ? {} : { resource };
  return { ...target, ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) };
}

/** What a token response gives (RFC 6749 section 5.1). */
export interface IssuedToken {
  readonly accessToken: Secret;
  readonly refreshToken: Secret | undefined;
  /** Where one was offered. Looked at once, for whose login it is, and neither kept nor sent anywhere. */
  readonly idToken: Secret | undefined;
  /** Is it bound to the key of the proof that it was asked for with (RFC 9449)? */
  readonly isBound: boolean;
  /** Milliseconds since 1970, from the moment of receipt; null when the server did not say. */
  readonly expiresAt: number | null;
  readonly obtainedAt: number;
  /** Of the refresh token unless it is used, and of the whole; absent: it is not said (draft-ietf-oauth-refresh-token-expiration). */
  readonly refreshExpiresAt?: number;
  readonly authorizationExpiresAt?: number;
  readonly scopes: readonly string[];
  readonly warnings: readonly string[];
}

export type FailedToken =
  | FailedRequest
  | { readonly ok: false; readonly problem: 'type'; readonly found: string }
  /** A Bearer token, where only one that is bound to a key will do. */
  | { readonly ok: false; readonly problem: 'unbound' };

export type TokenResult = { readonly ok: true; readonly token: IssuedToken } | FailedToken;

export interface TokenContext {
  /** The time of receipt, in milliseconds since 1970. */
  readonly now: number;
  /** The scopes asked for, which hold when the response does not name any (RFC 6749 section 5.1). */
  readonly requested: readonly string[];
  /** The key of the proof that it was asked for with. `isRequired`: a Bearer token will not do. */
  readonly dpop?: Pick<Proofs, 'key' | 'isRequired'> | undefined;
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
  const problem = received && typeProblem(received['token_type'], context);
  if (problem !== undefined) return problem;
  if (!validated.ok) return validated;
  if (await isForOtherKey(validated.body.access_token, context)) {
    return unusable('its access token is bound to another key than this login’s (cnf.jkt)');
  }
  return issuedToken(validated.body, received ?? {}, context);
}

/** Stricter: what a token that can be read says of its key (RFC 9449 section 6.1) is compared; the server would refuse it. */
async function isForOtherKey(token: string, { dpop }: TokenContext): Promise<boolean> {
  if (dpop === undefined) return false;
  const { keyNamedIn, thumbprintOf } = await import('./dpop/key.js');
  const named = keyNamedIn(token);
  return named !== 'opaque' && named.jkt !== undefined && named.jkt !== (await thumbprintOf(dpop.key));
}

/** Stricter: the library takes DPoP, too, where it was not asked for. */
function typeProblem(type: JsonValue | undefined, { dpop }: TokenContext): FailedToken | undefined {
  const name = typeof type === 'string' ? type.toLowerCase() : undefined;
  if (name === 'bearer') return dpop?.isRequired ? { ok: false, problem: 'unbound' } : undefined;
  if (name === 'dpop' && dpop !== undefined) return undefined;
  return { ok: false, problem: 'type', found: typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : 'none' };
}

function issuedToken(body: TokenEndpointResponse, received: JsonObject, context: TokenContext): TokenResult {
  const { access_token: access, refresh_token: refresh, scope } = body;
  const why = tokenProblem('access', access) ?? (refresh === undefined ? undefined : tokenProblem('refresh', refresh));
  if (why !== undefined) return unusable(why);
  const { id_token: identity, expires_in: seconds, token_type: type } = received;
  const isBound = String(type).toLowerCase() === 'dpop';
  const isUsable = typeof identity === 'string' && tokenProblem('ID', identity) === undefined;
  const tokens = {
    accessToken: new Secret(access),
    refreshToken: refresh === undefined ? undefined : new Secret(refresh),
    idToken: isUsable ? new Secret(identity) : undefined,
  };
  const granted = grantedScopes(scope, context, {
    secrets: [...Object.values(tokens), ...context.sent],
    isIdentified: isUsable,
  });
  if (granted === undefined) return unusable('its scope is malformed');
  const lifetime = lifetimeSeconds(seconds);
  const obtainedAt = context.now;
  const expiresAt = lifetime.kind === 'known' ? obtainedAt + lifetime.seconds * 1000 : null;
  const unknown = lifetime.kind === 'unknown' && lifetime.warning !== undefined ? [lifetime.warning] : [];
  const { scopes, warnings } = granted;
  return {
    ok: true,
    token: {
      ...{ ...tokens, isBound, expiresAt, obtainedAt, scopes, warnings: [...warnings, ...unknown] },
      ...endsIn(received, obtainedAt),
    },
  };
}

/** `refresh_token_expires_in` is what it was called before that draft; where both are said, the sooner end counts. */
function endsIn(received: JsonObject, now: number) {
  const { refresh_token_expires_in: older, refresh_token_timeout: unused, authorization_expires_in: whole } = received;
  const ends = [older, unused].map((seconds) => endOf(seconds, now)).filter((end) => end !== undefined);
  return defined({
    refreshExpiresAt: ends.length > 0 ? Math.min(...ends) : undefined,
    authorizationExpiresAt: endOf(whole, now),
  });
}

/** Stricter: bounded, and nothing in it that a header or a format of credentials could read differently. Never quoted. */
function tokenProblem(kind: string, token: string): string | undefined {
  if (token.length > longestToken) return `its ${kind} token is longer than ${longestToken} characters`;
  return isTokenText(token) ? undefined : `its ${kind} token contains a forbidden character`;
}

/** Stricter: well-formed names alone, none that says a secret; they are in the list of logins, in URLs and on the screen. */
function grantedScopes(
  value: string | undefined,
  { requested }: TokenContext,
  { secrets, isIdentified }: { readonly secrets: readonly (Secret | undefined)[]; readonly isIdentified: boolean },
): Pick<IssuedToken, 'scopes' | 'warnings'> | undefined {
  if (value === undefined) return { scopes: requested, warnings: [] };
  // GitHub writes "a,b"; a name may have a comma, but then it was asked for.
  const hasCommas = requested.some((scope) => scope.includes(','));
  const parsed = parseScope(hasCommas ? value : value.replaceAll(',', ' '));
  if (!parsed.ok) return undefined;
  const scopes = parsed.scopes.filter((scope) => !quotesSecret(scope, secrets));
  const narrowed = scopesMissing(scopes, requested).filter((scope) => !isAboutLogin(scope, isIdentified));
  const widened = requested.length === 0 ? [] : scopesMissing(requested, scopes);
  const isEcho = scopes.length < parsed.scopes.length;
  const warnings = [
    isEcho && 'the authorization server put a secret into the names of scope: left out',
    narrowed.length > 0 && `granted less than asked for: without ${narrowed.join(' ')}`,
    widened.length > 0 && `granted more than asked for: ${widened.join(' ')}`,
  ].filter((warning) => warning !== false);
  return { scopes, warnings };
}

/** Scopes that no access token has: what came of them is the refresh token, and the ID token. */
function isAboutLogin(scope: string, isIdentified: boolean): boolean {
  return scope === 'offline_access' || (isIdentified && ['openid', 'profile', 'email'].includes(scope));
}

export type RevocationResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: number; readonly error: string; readonly said: string };

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
    process: (_oauth, tidy) => oauth.processRevocationResponse(tidy),
  });
  if (validated.ok) return { ok: true };
  const said = 'said' in validated ? validated.said : '';
  return { ok: false, status, said, error: validated.problem === 'refused' ? validated.error : '' };
}
