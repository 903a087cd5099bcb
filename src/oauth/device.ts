import type { Zone } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import type { JsonObject, JsonValue } from '../core/text/json.js';
import { lifetimeSeconds } from '../core/time.js';
import type { HttpClient } from '../http/request.js';
import { type AuthorizationParameters, withValues } from './authorization-request.js';
import { urlProblem } from './discovery-document.js';
import { callTo, type FailedRequest, longestToken, memberProblem, readResponse, unusable } from './engine.js';
import { type TokenRequest, withScope } from './token.js';

/** What a device authorization endpoint gives (RFC 8628 section 3.2). */
export interface DeviceAuthorization {
  readonly deviceCode: Secret;
  /** For the person to type; any text, to be shown as such. */
  readonly userCode: string;
  /** Where to type it; gated, https or loopback. */
  readonly verificationUri: string;
  /** The same with the code in it; undefined when there is none that is usable and of the same origin. */
  readonly verificationUriComplete: string | undefined;
  readonly lifetimeMs: number;
  readonly intervalMs: number;
}

/**
 * Asks for a device and a user code (RFC 8628 section 3.1) with `resource` (RFC 8707).
 * @throws Failure of the HTTP client
 */
export async function sendDeviceAuthorizationRequest(
  http: HttpClient,
  request: TokenRequest & { readonly scopes: readonly string[]; readonly added: AuthorizationParameters },
): Promise<Response> {
  const to = await callTo('device_authorization_endpoint', http, request);
  const { oauth, as, client, authentication, options } = to;
  const form = { ...withValues(request.added), ...withScope(request) };
  return await oauth.deviceAuthorizationRequest(as, client, authentication, form, options);
}

const maxUserCode = 64;

/** Seconds: RFC 8628's own default, and bounds that keep a server from making us ask in a loop or wait for ever. */
const interval = { default: 5, max: 60 } as const;

const maxLifetimeSeconds = 1800;

type DeviceResult = { readonly ok: true; readonly device: DeviceAuthorization } | FailedRequest;

/** Validates the response of a device authorization endpoint, for a server of this zone. */
export async function validateDeviceResponse(
  response: Response,
  { zone, now }: { readonly zone: Zone; readonly now: number },
): Promise<DeviceResult> {
  const read = await readResponse(response, { now });
  return read.ok ? usableDevice(read.object, zone) : read;
}

/** What a person can be shown and sent to, and no wait without an end; an interval or a complete address of no use is left out. */
function usableDevice(object: JsonObject, zone: Zone): DeviceResult {
  const { verification_uri: uri, verification_uri_complete: complete, interval: wanted } = object;
  const why =
    memberProblem(object, 'device_code', longestToken, isTokenText) ??
    memberProblem(object, 'user_code', maxUserCode, (text) => text.trim() !== '');
  if (why !== undefined) return unusable(why);
  const usable = (url: JsonValue | undefined): url is string => urlProblem(url, zone) === undefined;
  if (!usable(uri)) return unusable('its verification_uri is no URL that a browser may be sent to');
  const lifetime = lifetimeSeconds(object['expires_in']);
  if (lifetime.kind === 'unknown' || lifetime.seconds === 0) return unusable('its expires_in is malformed');
  const isSameSite = usable(complete) && new URL(complete).origin === new URL(uri).origin;
  const isTime = typeof wanted === 'number' && Number.isFinite(wanted);
  const seconds = isTime ? Math.min(Math.max(1, Math.ceil(wanted)), interval.max) : interval.default;
  return {
    ok: true,
    device: {
      deviceCode: new Secret(String(object['device_code'])),
      userCode: String(object['user_code']),
      verificationUri: uri,
      verificationUriComplete: isSameSite ? complete : undefined,
      lifetimeMs: Math.min(lifetime.seconds, maxLifetimeSeconds) * 1000,
      intervalMs: seconds * 1000,
    },
  };
}
