import { Secret } from '../core/secret.js';
import { isVscharText } from '../core/text/characters.js';
import type { HttpClient } from '../http/request.js';
import { isSameIssuer } from './discovery-document.js';
import { callTo, type EndpointRequest, type FailedRequest, unusable, validateResponse } from './engine.js';
import { withScope } from './token.js';

/** Longest authorization request that is opened, in characters. */
export const longestAuthorizationRequest = 8192;

/** Of an authorization request, by their wire names. */
export type AuthorizationParameters = Readonly<Record<string, string>>;

/** What a person wants of the login page (OpenID Connect Core 1.0, section 3.1.2.1). */
export interface PageWishes {
  /** Who is to log in. */
  readonly loginHint?: string | undefined;
  /** Values of `prompt`, in the place of the usual one; none: the usual. */
  readonly prompts?: readonly string[] | undefined;
}

/** Parameters a user may not add: the response, or what it is good for, depends on them. */
const ours = new Set(
  `client_id client_secret redirect_uri response_type response_mode state nonce scope resource code_challenge
  code_challenge_method request request_uri dpop_jkt iss`.split(/\s+/),
);

/** All added parameters together, in bytes. */
const longestParameters = 2048;

/** Why these are no parameters to add, each NAME=VALUE; undefined: they are. Ends a sentence. */
export function parametersProblem(texts: readonly string[]): string | undefined {
  const names = texts.map(nameOf);
  if (names.includes('')) return 'it is not NAME=VALUE, with a name of letters, digits, ".", "_" and "-"';
  const own = names.find((name) => ours.has(name.toLowerCase()));
  if (own !== undefined) return `postern sets ${own} itself`;
  if (new Set(names).size < names.length) return 'it names one parameter twice';
  if (texts.some((text) => /[\p{Cc}\p{Cs}]/u.test(text))) return 'it has a control character';
  const bytes = new TextEncoder().encode(texts.join('')).length;
  return bytes > longestParameters ? `together they are longer than ${longestParameters} bytes` : undefined;
}

const nameOf = (text: string) => /^([A-Za-z0-9._-]+)=/.exec(text)?.[1] ?? '';

/** The parameters a user added. If another program tampered with the index, none are used. */
export function addedParameters(texts: readonly string[]): AuthorizationParameters {
  if (parametersProblem(texts) !== undefined) return {};
  return Object.fromEntries(texts.map((text) => [nameOf(text), text.slice(text.indexOf('=') + 1)]));
}

/** Parameters an issuer needs for a lasting login: Google gives a refresh token only with these two. */
export function usualParameters(issuer: string): AuthorizationParameters {
  return isSameIssuer(issuer, 'https://accounts.google.com') ? { access_type: 'offline', prompt: 'consent' } : {};
}

/** A parameter without a value is left out (RFC 6749 section 3.1). */
export function withValues(parameters: AuthorizationParameters): AuthorizationParameters {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''));
}

/**
 * An authorization request (RFC 6749 section 4.1.1) with PKCE S256 (RFC 7636) and `resource` (RFC 8707).
 * @param request Without `scopes` there is no `scope` parameter at all, and without `resource` none of that.
 */
export function authorizationRequestParameters(request: {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  readonly state: string;
  readonly codeChallenge: string;
  /** Thumbprint of the login's key (RFC 9449 section 10): a code that is stolen is redeemed by nobody else. */
  readonly dpopKey?: string | undefined;
  readonly page?: PageWishes | undefined;
  /** Those of an empty value are left out. */
  readonly added?: AuthorizationParameters;
  /** The browser may be logged in as another one than is wanted. */
  readonly choosesAccount?: boolean;
}): AuthorizationParameters {
  const { clientId, redirectUri, resource, scopes, state, codeChallenge, dpopKey, page, choosesAccount } = request;
  // Authorization servers with OpenID's habits drop offline_access unless consent is asked for.
  const { prompt = scopes.includes('offline_access') ? 'consent' : '', ...added } = request.added ?? {};
  const chooses = choosesAccount === true && prompt !== 'none' ? ['select_account'] : [];
  const usual = new Set([...chooses, ...prompt.split(' ').filter(Boolean)]);
  const prompts = (page?.prompts?.length ? page.prompts : [...usual]).join(' ');
  return {
    ...withValues(added),
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    ...withScope({ resource, scopes }),
    ...(dpopKey === undefined ? {} : { dpop_jkt: dpopKey }),
    ...(prompts === '' ? {} : { prompt: prompts }),
    ...(page?.loginHint === undefined ? {} : { login_hint: page.loginHint }),
  };
}

/** The URL of a request. Each parameter occurs exactly once; what else the endpoint's own query holds stays. */
export function authorizationRequestUrl(endpoint: string, parameters: AuthorizationParameters): string {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

export interface PushedRequest {
  /** They take the place of those that were pushed (RFC 9126 section 4), once. */
  readonly parameters: AuthorizationParameters;
  /** Milliseconds for which it can be opened. */
  readonly lifetimeMs: number;
}

/**
 * Pushes an authorization request (RFC 9126 section 2.1) with the client's authentication, as at the token endpoint.
 * @throws Failure of the HTTP client
 */
export async function pushAuthorizationRequest(
  http: HttpClient,
  request: EndpointRequest & { readonly parameters: AuthorizationParameters; readonly now: number },
): Promise<{ readonly ok: true; readonly pushed: PushedRequest } | FailedRequest> {
  const to = await callTo('pushed_authorization_request_endpoint', http, request);
  const { oauth, as, client, authentication, options } = to;
  const response = await oauth.pushedAuthorizationRequest(as, client, authentication, request.parameters, options);
  const validated = await validateResponse(response, {
    success: 201,
    now: request.now,
    process: (_oauth, tidy) => oauth.processPushedAuthorizationResponse(as, client, tidy),
  });
  if (!validated.ok) return validated;
  const { request_uri: requestUri, expires_in: seconds } = validated.body;
  // Stricter: it is part of the URL that a browser opens.
  if (requestUri.length > 4096 || !isVscharText(requestUri)) {
    return unusable('its request_uri is too long or has forbidden characters');
  }
  const parameters = { client_id: request.client.clientId, request_uri: requestUri };
  return { ok: true, pushed: { parameters, lifetimeMs: seconds * 1000 } };
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
    state: new Secret(generateRandomState(), { held: false }), // part of the address that a person is shown
    verifier: new Secret(verifier),
    codeChallenge: await calculatePKCECodeChallenge(verifier),
  };
}
