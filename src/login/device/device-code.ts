import { isFailure } from '../../core/failure.js';
import { takeStep } from '../../core/ports.js';
import {
  type DeviceAuthorization,
  sendDeviceAuthorizationRequest,
  validateDeviceResponse,
} from '../../oauth/device.js';
import { resourceToSend } from '../../oauth/discover.js';
import { tokenFailure } from '../../tokens/send-refresh.js';
import { authorizationDenied } from '../failures.js';
import type { BegunLogin } from '../ports.js';
import { askAsClient, type Redeemed, recordToken, type TokenRequest, tokenResult } from '../redeem.js';
import { deviceCodeExpired, deviceLoginTimedOut } from './failures.js';

/** What `slow_down` adds to the interval, in milliseconds (RFC 8628 section 3.5). */
const slowDownMs = 5_000;

/** Longest pause between two requests while the authorization server is in trouble. */
const maxPauseMs = 60_000;

/** A code to be typed in a browser anywhere. `client`: with the method that the authorization server took. */
interface StartedDevice extends TokenRequest {
  readonly device: DeviceAuthorization;
}

/**
 * Asks for a code (RFC 8628 section 3.1).
 * @throws Failure `grant_refused`, `invalid_client`, `token_unusable`, `token_endpoint_failed`, or the HTTP client's
 */
export async function askForDevice(
  request: TokenRequest & Pick<BegunLogin, 'added'>,
  endpoint: string,
): Promise<StartedDevice> {
  const { ports, discovery, scopes, added, signal } = request;
  const { zone, authorizationServer: server } = discovery;
  const resource = resourceToSend(discovery);
  const step = { name: 'device-authorization', asked: `POST ${endpoint}`, rule: 'RFC 8628 section 3.2' } as const;
  const { result, client } = await askAsClient(server, request.client, async (as) => {
    const form = { endpoint, issuer: server.issuer, resource, zone, scopes, added, client: as, signal };
    const response = await takeStep(ports, step, () => sendDeviceAuthorizationRequest(ports.http, form));
    return await validateDeviceResponse(response, { zone, now: ports.clock.now() });
  });
  const [came, verdict] = result.ok ? (['a user code', 'pass'] as const) : ([result.problem, 'failure'] as const);
  ports.journal.record({ ...step, came, verdict });
  if (!result.ok) throw tokenFailure(result, server.issuer);
  await ports.http.check({ url: result.device.verificationUri, namedBy: zone, signal });
  return { ...request, device: result.device, client };
}

/**
 * Asks the token endpoint, at the pace that it wants, until the person has decided, the code has run out or the time
 * is up (RFC 8628 sections 3.4 and 3.5). What the network or a server in trouble does not answer is asked again, less
 * often each time.
 * @throws Failure `denied`, `device_code_expired`, `login_timed_out`, and as `redeem`
 */
export async function waitForDeviceToken(started: StartedDevice, timeoutMs: number): Promise<Redeemed> {
  const { ports, discovery, device, signal } = started;
  const { issuer } = discovery.authorizationServer;
  const { clock } = ports;
  const end = clock.monotonic() + Math.min(device.lifetimeMs, timeoutMs);
  let { client } = started;
  let { intervalMs } = device;
  let pauseMs = intervalMs;
  for (;;) {
    await clock.sleep(Math.min(pauseMs, end - clock.monotonic()), signal);
    if (clock.monotonic() >= end) {
      throw timeoutMs < device.lifetimeMs ? deviceLoginTimedOut(timeoutMs) : deviceCodeExpired(issuer);
    }
    const asked = await askOnce({ ...started, client });
    if (asked !== undefined) ({ client } = asked);
    const result = asked?.result;
    if (result?.ok) return { token: recordToken('redeem', started, result.token), client };
    if (result === undefined || result.problem === 'transient') {
      pauseMs = Math.max(Math.min(pauseMs * 2, maxPauseMs), result?.retryAfterMs ?? 0);
      continue;
    }
    if (result.problem !== 'refused') throw tokenFailure(result, issuer);
    const { error, said } = result;
    if (error === 'expired_token') throw deviceCodeExpired(issuer);
    if (error === 'access_denied' || error === 'consent_required') throw authorizationDenied(issuer, { error, said });
    if (error === 'slow_down') intervalMs += slowDownMs;
    else if (error !== 'authorization_pending') throw tokenFailure(result, issuer);
    pauseMs = intervalMs;
  }
}

/** Undefined when the network had no response. */
async function askOnce(started: StartedDevice) {
  const { deviceCode } = started.device;
  try {
    return await tokenResult(started, { deviceCode });
  } catch (error) {
    if (!isFailure(error, 'network_failed', 'timed_out') || started.signal.aborted) throw error;
    return undefined;
  }
}
