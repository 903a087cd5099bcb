import { Failure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import { takeStep } from '../../core/ports.js';
import type { HttpPorts } from '../../http/request.js';
import type { ClientAuthentication } from '../../oauth/client-authentication.js';
import {
  type DeviceAuthorization,
  sendDeviceAuthorizationRequest,
  sendDeviceTokenRequest,
  validateDeviceResponse,
} from '../../oauth/device.js';
import type { Discovery } from '../../oauth/discover.js';
import { validateTokenResponse } from '../../oauth/token.js';
import { tokenFailure } from '../../tokens/send-refresh.js';
import { authorizationDenied } from '../failures.js';
import { askAsClient, type Redeemed, withAudienceJudged } from '../redeem.js';
import { deviceCodeExpired, deviceLoginTimedOut } from './failures.js';

/** What `slow_down` adds to the interval, in milliseconds (RFC 8628 section 3.5). */
const slowDownMs = 5_000;

/** Longest pause between two questions while the authorization server is in trouble. */
const longestPauseMs = 60_000;

type Needs = Pick<HttpPorts, 'http'> & Pick<CorePorts, 'journal' | 'clock'>;

/** A login by a code typed in a browser anywhere. */
export interface DeviceRequest {
  readonly discovery: Discovery;
  readonly client: ClientAuthentication;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
}

export interface StartedDevice {
  readonly device: DeviceAuthorization;
  /** With the method that the authorization server took. */
  readonly client: ClientAuthentication;
}

const endpointOf = ({ discovery, signal }: DeviceRequest) => ({
  issuer: discovery.authorizationServer.issuer,
  resource: discovery.protectedResource.resource,
  zone: discovery.zone,
  signal,
});

/**
 * Asks for a code (RFC 8628 section 3.1).
 * @throws Failure `grant_refused`, `invalid_client`, `token_unusable`, `token_endpoint_failed`, or the HTTP client's
 */
export async function askForDevice(ports: Needs, request: DeviceRequest, endpoint: string): Promise<StartedDevice> {
  const { discovery, scopes, signal } = request;
  const step = {
    name: 'device-authorization',
    asked: `POST ${endpoint}`,
    rule: 'RFC 8628 section 3.2',
  } as const;
  const { judged, client } = await askAsClient(discovery.authorizationServer, request.client, async (as) => {
    const response = await takeStep(ports, step, () =>
      sendDeviceAuthorizationRequest(ports.http, { ...endpointOf(request), client: as, endpoint, scopes }),
    );
    return await validateDeviceResponse(response, { zone: discovery.zone, now: ports.clock.now() });
  });
  const came = judged.ok ? 'a user code' : judged.problem;
  ports.journal.record({ ...step, came, verdict: judged.ok ? 'pass' : 'failure' });
  if (!judged.ok) throw tokenFailure(judged, discovery.authorizationServer.issuer);
  const { verificationUri } = judged.device;
  await ports.http.check({ url: verificationUri, namedBy: discovery.zone, signal });
  return { device: judged.device, client };
}

/**
 * Asks the token endpoint, at the pace that it wants, until the person has decided, the code has run out or the time
 * is up (RFC 8628 sections 3.4 and 3.5). What the network or a server in trouble does not answer is asked again, less
 * often each time.
 * @throws Failure `denied`, `device_code_expired`, `login_timed_out`, and as `redeem`
 */
export async function waitForDeviceToken(
  ports: Needs,
  request: DeviceRequest & StartedDevice & { readonly timeoutMs: number },
): Promise<Redeemed> {
  const { device, timeoutMs, signal } = request;
  const { issuer, tokenEndpoint } = request.discovery.authorizationServer;
  const step = { name: 'redeem', asked: `POST ${tokenEndpoint}` };
  const end = ports.clock.monotonic() + Math.min(device.lifetimeMs, timeoutMs);
  let { client } = request;
  let intervalMs = device.intervalMs;
  let pauseMs = intervalMs;
  for (;;) {
    await ports.clock.sleep(Math.min(pauseMs, end - ports.clock.monotonic()), signal);
    if (ports.clock.monotonic() >= end) {
      throw timeoutMs < device.lifetimeMs ? deviceLoginTimedOut(timeoutMs) : deviceCodeExpired(issuer);
    }
    const asked = await askOnce(ports, { ...request, client });
    if (asked === undefined) {
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      continue;
    }
    const { judged } = asked;
    ({ client } = asked);
    if (judged.ok) return { token: withAudienceJudged(ports, judged.token, request.discovery.server, step), client };
    if (judged.problem === 'transient') {
      pauseMs = Math.max(Math.min(pauseMs * 2, longestPauseMs), judged.retryAfterMs ?? 0);
      continue;
    }
    const error = judged.problem === 'refused' ? judged.error : '';
    if (error === 'slow_down') intervalMs += slowDownMs;
    else if (error === 'expired_token') throw deviceCodeExpired(issuer);
    else if (judged.problem === 'refused' && ['access_denied', 'consent_required'].includes(error))
      throw authorizationDenied(issuer, error, judged.said);
    else if (error !== 'authorization_pending') throw tokenFailure(judged, issuer);
    pauseMs = intervalMs;
  }
}

/** One question; undefined when the network had no answer to it. */
async function askOnce(ports: Needs, request: DeviceRequest & StartedDevice) {
  const { discovery, scopes, device } = request;
  const { authorizationServer } = discovery;
  const endpoint = authorizationServer.tokenEndpoint;
  try {
    return await askAsClient(authorizationServer, request.client, async (client) => {
      const { deviceCode } = device;
      const form = { ...endpointOf(request), client, endpoint, deviceCode };
      const response = await sendDeviceTokenRequest(ports.http, form);
      return await validateTokenResponse(response, {
        now: ports.clock.now(),
        requested: scopes,
        sent: [client.secret],
      });
    });
  } catch (error) {
    const byNetwork = error instanceof Failure && (error.code === 'network_failed' || error.code === 'timed_out');
    if (!byNetwork || request.signal.aborted) throw error;
    return undefined;
  }
}
