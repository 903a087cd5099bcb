import type { Zone } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../core/text/json.js';
import { lifetimeSeconds } from '../core/time.js';
import { gateUrl } from '../core/url.js';
import type { OutboundDoor } from '../http/request.js';
import { type EndpointRequest, postForm, type TokenAnswer } from './token-request.js';

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

export type DeviceJudgement =
  | { readonly ok: true; readonly device: DeviceAuthorization }
  | {
      readonly ok: false;
      readonly problem: 'refused';
      readonly status: number;
      readonly error: string;
      readonly said: string;
    }
  | {
      readonly ok: false;
      readonly problem: 'transient';
      readonly status: number;
      readonly retryAfterMs: undefined;
    }
  | { readonly ok: false; readonly problem: 'unusable'; readonly why: string };

const longestUserCode = 64;

/** Seconds: RFC 8628's own default, and bounds that keep a server from making us ask in a loop or wait for ever. */
const interval = { fallback: 5, least: 1, most: 60 } as const;

const longestLifetimeSeconds = 1800;

/** Judges the answer of a device authorization endpoint for a server of this zone. Total. */
export function judgeDeviceAnswer(answer: TokenAnswer, zone: Zone): DeviceJudgement {
  const { status } = answer;
  if (status >= 500 || status === 429 || status === 408) {
    return { ok: false, problem: 'transient', status, retryAfterMs: undefined };
  }
  const parsed = parseJson(answer.bytes);
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  const error = object?.['error'];
  if (status !== 200 || typeof error === 'string') {
    const said = object?.['error_description'];
    return { ok: false, problem: 'refused', status, error: text(error), said: text(said) };
  }
  return object === undefined
    ? { ok: false, problem: 'unusable', why: 'it is not a JSON object' }
    : judgeDevice(object, zone);
}

function judgeDevice(object: JsonObject, zone: Zone): DeviceJudgement {
  const unusable = (why: string) => ({ ok: false, problem: 'unusable', why }) as const;
  const { device_code: code, user_code: userCode, verification_uri: uri } = object;
  if (typeof code !== 'string' || code === '' || code.length > 16_384 || !isTokenText(code)) {
    return unusable('its device_code is missing or malformed');
  }
  if (typeof userCode !== 'string' || userCode.trim() === '' || userCode.length > longestUserCode) {
    return unusable('its user_code is missing, empty or too long');
  }
  if (!isPlace(uri, zone)) {
    return unusable('its verification_uri is missing, or no URL that a browser may be sent to');
  }
  const complete = object['verification_uri_complete'];
  const lifetime = lifetimeSeconds(object['expires_in']);
  if (lifetime.kind !== 'known' || lifetime.seconds <= 0) {
    return unusable('its expires_in is missing or malformed');
  }
  return {
    ok: true,
    device: {
      deviceCode: new Secret(code),
      userCode,
      verificationUri: uri,
      verificationUriComplete:
        isPlace(complete, zone) && new URL(complete).origin === new URL(uri).origin ? complete : undefined,
      lifetimeMs: Math.min(lifetime.seconds, longestLifetimeSeconds) * 1000,
      intervalMs: intervalSeconds(object['interval']) * 1000,
    },
  };
}

/** Gated, and https unless the protected server is on loopback itself. */
function isPlace(value: JsonValue | undefined, zone: Zone): value is string {
  if (typeof value !== 'string') return false;
  const gated = gateUrl(value);
  return gated.ok && (gated.url.protocol === 'https:' || zone === 'loopback');
}

function intervalSeconds(value: JsonValue | undefined): number {
  const seconds = typeof value === 'number' && Number.isFinite(value) ? Math.ceil(value) : interval.fallback;
  return Math.min(Math.max(seconds, interval.least), interval.most);
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Asks for a device and a user code (RFC 8628 section 3.1) with `resource` (RFC 8707).
 * @throws Failure of the door
 */
export function sendDeviceAuthorizationRequest(
  door: OutboundDoor,
  request: EndpointRequest & { readonly scopes: readonly string[]; readonly resource: string },
): Promise<TokenAnswer> {
  return postForm(door, request, [
    ['resource', request.resource],
    ...(request.scopes.length === 0 ? [] : ([['scope', request.scopes.join(' ')]] as const)),
  ]);
}

/**
 * Asks whether the person has decided (RFC 8628 section 3.4).
 * @throws Failure of the door
 */
export function sendDeviceTokenRequest(
  door: OutboundDoor,
  request: EndpointRequest & { readonly deviceCode: Secret; readonly resource: string },
): Promise<TokenAnswer> {
  return postForm(door, request, [
    ['grant_type', deviceGrant],
    ['device_code', request.deviceCode.reveal()],
    ['resource', request.resource],
  ]);
}
