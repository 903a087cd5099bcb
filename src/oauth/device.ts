import type { DeviceAuthorizationResponse } from 'oauth4webapi';
import type { Zone } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import type { HttpClient } from '../http/request.js';
import { type AuthorizationParameters, withValues } from './authorization-request.js';
import { urlProblem } from './discovery-document.js';
import { anyClient, anyServer, callTo, type FailedRequest, unusable, validateResponse } from './engine.js';
import { tidyDevice } from './leniency.js';
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
  const validated = await validateResponse(response, {
    success: 200,
    now,
    repair: tidyDevice,
    process: (oauth, tidy) => oauth.processDeviceAuthorizationResponse(anyServer, anyClient, tidy),
  });
  return validated.ok ? usableDevice(validated.body, zone) : validated;
}

/** Stricter: what a person can be shown and sent to, and no wait without an end. */
function usableDevice(body: DeviceAuthorizationResponse, zone: Zone): DeviceResult {
  const { device_code: code, user_code: userCode, verification_uri: uri, expires_in: seconds } = body;
  if (code.length > 16_384 || !isTokenText(code)) return unusable('its device_code is malformed');
  if (userCode.trim() === '' || userCode.length > maxUserCode) return unusable('its user_code is empty or too long');
  const usable = (url: string | undefined): url is string => urlProblem(url, zone) === undefined;
  if (!usable(uri)) return unusable('its verification_uri is no URL that a browser may be sent to');
  if (seconds <= 0) return unusable('its expires_in is malformed');
  const complete = body.verification_uri_complete;
  const isSameSite = usable(complete) && new URL(complete).origin === new URL(uri).origin;
  return {
    ok: true,
    device: {
      deviceCode: new Secret(code),
      userCode,
      verificationUri: uri,
      verificationUriComplete: isSameSite ? complete : undefined,
      lifetimeMs: Math.min(seconds, maxLifetimeSeconds) * 1000,
      intervalMs: Math.min(body.interval ?? interval.default, interval.max) * 1000,
    },
  };
}
