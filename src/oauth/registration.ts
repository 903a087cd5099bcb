import type { ClientAuthMethod, Zone } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { isVscharText } from '../core/text/characters.js';
import { asObject, type JsonObject, parseJson } from '../core/text/json.js';
import type { OutboundDoor } from '../http/request.js';
import { deviceGrant } from './device.js';
import type { AuthorizationServer } from './server-metadata.js';

const registrationLimits = { of: 'token', totalMs: 15_000, headersMs: 15_000, maxBytes: 64 * 1024 } as const;

const longestClientId = 1024;

const longestSecret = 4096;

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

export type RegistrationJudgement =
  | { readonly ok: true; readonly client: RegisteredClient }
  | {
      readonly ok: false;
      readonly problem: 'refused';
      readonly status: number;
      readonly error: string;
      readonly said: string;
    }
  | { readonly ok: false; readonly problem: 'unusable'; readonly why: string };

/**
 * Registers this program as a native client (RFC 7591 section 3) with exactly one redirect URI, and judges the
 * answer leniently in form (200 for 201, strings for numbers), strictly in what matters.
 * @throws Failure of the door
 */
export async function registerClient(
  door: OutboundDoor,
  request: RegistrationAsk & {
    readonly server: AuthorizationServer;
    readonly endpoint: string;
    readonly redirectUri: string;
    readonly zone: Zone;
    readonly now: number;
    readonly signal: AbortSignal;
  },
): Promise<RegistrationJudgement> {
  const wanted = wantedMethod(request.server.tokenAuthMethods);
  await using response = await door.send({
    method: 'POST',
    url: request.endpoint,
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json'],
    ],
    body: JSON.stringify({
      client_name: 'postern',
      application_type: 'native',
      redirect_uris: [request.redirectUri],
      grant_types: request.grants,
      response_types: request.grants.includes('authorization_code') ? ['code'] : [],
      token_endpoint_auth_method: wanted,
      ...(request.scopes.length === 0 ? {} : { scope: request.scopes.join(' ') }),
    }),
    namedBy: request.zone,
    redirects: 'refuse',
    limits: registrationLimits,
    signal: request.signal,
  });
  const parsed = parseJson(await response.bytes());
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  if (response.status !== 200 && response.status !== 201) {
    const { status } = response;
    return {
      ok: false,
      problem: 'refused',
      status,
      error: text(object?.['error']),
      said: text(object?.['error_description']),
    };
  }
  if (object === undefined) {
    return { ok: false, problem: 'unusable', why: 'it is not a JSON object' };
  }
  return judgeRegistration(object, { ...request, wanted });
}

function wantedMethod(listed: readonly string[] | undefined): ClientAuthMethod {
  if (listed === undefined || listed.includes('none')) {
    return 'none';
  }
  return (
    (['client_secret_basic', 'client_secret_post'] as const).find((method) => listed.includes(method)) ??
    'none'
  );
}

function judgeRegistration(
  object: JsonObject,
  request: {
    readonly redirectUri: string;
    readonly grants: readonly string[];
    readonly wanted: ClientAuthMethod;
    readonly now: number;
  },
): RegistrationJudgement {
  const clientId = object['client_id'];
  if (
    typeof clientId !== 'string' ||
    clientId === '' ||
    clientId.length > longestClientId ||
    !isVscharText(clientId)
  ) {
    return unusable('its client_id is missing, too long or has forbidden characters');
  }
  const redirectUris = object['redirect_uris'] ?? [request.redirectUri];
  const isUsed = request.grants.includes('authorization_code');
  if (isUsed && !isOnly(redirectUris, request.redirectUri)) {
    return unusable('its redirect_uris are not exactly the one that was registered');
  }
  const secretText = object['client_secret'] ?? undefined;
  if (secretText !== undefined && !usableSecret(secretText)) {
    return unusable('its client_secret is empty, too long or has forbidden characters');
  }
  const secret = typeof secretText === 'string' ? new Secret(secretText) : undefined;
  const method = obeyedMethod(object['token_endpoint_auth_method'], secret !== undefined, request.wanted);
  if (method === undefined) {
    return unusable(
      'its token_endpoint_auth_method is one that this program does not have, or lacks its secret',
    );
  }
  const expires = judgeExpiry(object['client_secret_expires_at'], request.now);
  if (!expires.ok) {
    return unusable('its client_secret_expires_at is no time to come');
  }
  const kept = method === 'none' ? undefined : secret;
  const { grant_types: grants } = object;
  const device = request.grants.includes(deviceGrant)
    ? !Array.isArray(grants) || grants.includes(deviceGrant)
    : undefined;
  const secretExpiresAt = kept ? expires.at : null;
  return { ok: true, client: { clientId, secret: kept, method, device, secretExpiresAt } };
}

function isOnly(list: unknown, entry: string): boolean {
  return Array.isArray(list) && list.length === 1 && list[0] === entry;
}

function unusable(why: string): RegistrationJudgement {
  return { ok: false, problem: 'unusable', why };
}

function usableSecret(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= longestSecret && isVscharText(value);
}

/** The method that the answer states is obeyed, a secret beside `none` notwithstanding. */
function obeyedMethod(
  stated: unknown,
  hasSecret: boolean,
  wanted: ClientAuthMethod,
): ClientAuthMethod | undefined {
  if (stated === 'none') {
    return 'none';
  }
  if (stated === 'client_secret_basic' || stated === 'client_secret_post') {
    return hasSecret ? stated : undefined;
  }
  if (stated !== undefined && stated !== null) {
    return undefined;
  }
  if (!hasSecret) {
    return 'none';
  }
  return wanted === 'none' ? 'client_secret_basic' : wanted;
}

/** 0 means never; seconds since 1970 otherwise, as a number or a decimal string. */
function judgeExpiry(
  value: unknown,
  now: number,
): { readonly ok: true; readonly at: number | null } | { readonly ok: false } {
  if (value === undefined || value === null) {
    return { ok: true, at: null };
  }
  const seconds = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (seconds === 0) {
    return { ok: true, at: null };
  }
  if (typeof seconds !== 'number' || !Number.isSafeInteger(Math.trunc(seconds)) || seconds * 1000 <= now) {
    return { ok: false };
  }
  return { ok: true, at: Math.trunc(seconds) * 1000 };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
