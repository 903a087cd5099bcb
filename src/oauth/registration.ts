import { clientInfo } from '../core/product.js';
import type { ClientAuthMethod, Zone } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { isVscharText } from '../core/text/characters.js';
import type { HttpClient } from '../http/request.js';
import { type FailedRequest, sendingBy, unusable, validateResponse } from './engine.js';
import { tidyRegistration } from './leniency.js';
import type { AuthorizationServer } from './server-metadata.js';
import { deviceGrant } from './token.js';

export interface RegisteredClient {
  readonly clientId: string;
  readonly secret: Secret | undefined;
  readonly method: ClientAuthMethod;
  /** May it log in by a code (RFC 8628)? Undefined: it was not asked for. */
  readonly device: boolean | undefined;
  /** Milliseconds since 1970; null: never. */
  readonly secretExpiresAt: number | null;
}

/** What a registration asks for, apart from who asks. */
export interface RegistrationAsk {
  /** Grant types that are going to be used. */
  readonly grants: readonly string[];
  /** None: the authorization server's default. */
  readonly scopes: readonly string[];
}

export type RegistrationResult = { readonly ok: true; readonly client: RegisteredClient } | FailedRequest;

/**
 * Registers this program as a native client (RFC 7591 section 3) with exactly one redirect URI.
 * @throws Failure of the HTTP client
 */
export async function registerClient(
  http: HttpClient,
  request: RegistrationAsk & {
    readonly server: Pick<AuthorizationServer, 'issuer' | 'tokenAuthMethods'>;
    readonly endpoint: string;
    readonly redirectUri: string;
    /** Undefined: the product's. */
    readonly name?: string | undefined;
    readonly zone: Zone;
    readonly now: number;
    readonly signal: AbortSignal;
  },
): Promise<RegistrationResult> {
  const oauth = await import('oauth4webapi');
  const { endpoint, grants, name = clientInfo.name, now, redirectUri, scopes, server } = request;
  const wanted = wantedMethod(server.tokenAuthMethods);
  const response = await oauth.dynamicClientRegistrationRequest(
    { issuer: server.issuer, registration_endpoint: endpoint },
    {
      client_name: name,
      application_type: 'native',
      redirect_uris: [redirectUri],
      grant_types: [...grants],
      response_types: grants.includes('authorization_code') ? ['code'] : [],
      token_endpoint_auth_method: wanted,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    },
    { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: sendingBy(http, request) },
  );
  const validated = await validateResponse(response, {
    success: 201,
    now,
    repair: tidyRegistration,
    process: (_oauth, tidy) => oauth.processDynamicClientRegistrationResponse(tidy),
  });
  return validated.ok ? usableClient(validated.body, { ...request, wanted }) : validated;
}

function wantedMethod(listed: readonly string[] | undefined): ClientAuthMethod {
  if (listed === undefined || listed.includes('none')) return 'none';
  return (['client_secret_basic', 'client_secret_post'] as const).find((method) => listed.includes(method)) ?? 'none';
}

/** Stricter: what was registered is what was asked for, and can be used. */
function usableClient(
  body: Readonly<Record<string, unknown>>,
  request: RegistrationAsk & { readonly redirectUri: string; readonly wanted: ClientAuthMethod; readonly now: number },
): RegistrationResult {
  const { client_id: clientId, client_secret: secret, grant_types: grants } = body;
  const { redirect_uris: redirectUris = [request.redirectUri], client_secret_expires_at: seconds } = body;
  if (!isPlainText(clientId, 1024)) return unusable('its client_id is missing, too long or has forbidden characters');
  if (request.grants.includes('authorization_code') && !isOnly(redirectUris, request.redirectUri)) {
    return unusable('its redirect_uris are not exactly the one that was registered');
  }
  const hasSecret = isPlainText(secret, 4096);
  if (secret !== undefined && !hasSecret) {
    return unusable('its client_secret is empty, too long or has forbidden characters');
  }
  const method = obeyedMethod(body['token_endpoint_auth_method'], hasSecret, request.wanted);
  if (method === undefined) {
    return unusable('its token_endpoint_auth_method is not supported here, or needs a secret that did not come');
  }
  const expires = Number(seconds) * 1000;
  if (expires !== 0 && !(expires > request.now && Number.isSafeInteger(Math.trunc(expires)))) {
    return unusable('its client_secret_expires_at is in the past');
  }
  const kept = hasSecret && method !== 'none' ? new Secret(secret) : undefined;
  const isListed = !Array.isArray(grants) || grants.includes(deviceGrant);
  const device = request.grants.includes(deviceGrant) ? isListed : undefined;
  const secretExpiresAt = kept === undefined || expires === 0 ? null : Math.trunc(expires / 1000) * 1000;
  return { ok: true, client: { clientId, secret: kept, method, device, secretExpiresAt } };
}

function isPlainText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest && isVscharText(value);
}

function isOnly(list: unknown, entry: string): boolean {
  return Array.isArray(list) && list.length === 1 && list[0] === entry;
}

/** Stricter: the method that the response states is obeyed; a secret that comes with `none` is ignored. */
function obeyedMethod(stated: unknown, hasSecret: boolean, wanted: ClientAuthMethod): ClientAuthMethod | undefined {
  if (stated === 'none' || (stated === undefined && !hasSecret)) return 'none';
  if (stated === 'client_secret_basic' || stated === 'client_secret_post') return hasSecret ? stated : undefined;
  if (stated !== undefined) return undefined;
  return wanted === 'none' ? 'client_secret_basic' : wanted;
}
