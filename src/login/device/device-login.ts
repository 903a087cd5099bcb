import { isFailure } from '../../core/failure.js';
import { takeStep } from '../../core/ports.js';
import type { LoginRecord } from '../../core/records.js';
import {
  type DeviceAuthorization,
  sendDeviceAuthorizationRequest,
  validateDeviceResponse,
} from '../../oauth/device.js';
import { resourceToSend } from '../../oauth/discover.js';
import { tokenFailure } from '../../tokens/send-refresh.js';
import { announce, beginLogin } from '../begin-login.js';
import { chooseClientWay, identifyClient } from '../client/identify-client.js';
import { forgetRefusedClient, keepClient } from '../client/register.js';
import { loginRefused } from '../client/way-out.js';
import { authorizationDenied } from '../failures.js';
import type { BegunLogin, LoginPorts, PersonLogin } from '../ports.js';
import { askAsClient, type Redeemed, recordToken, type TokenRequest, tokenResult } from '../redeem.js';
import { saveCredential } from '../save-credential.js';
import { deviceCodeExpired, deviceFlowMissing, deviceGrantRefused, deviceLoginTimedOut } from './failures.js';
import { checkSite, deviceEvent, deviceLines } from './show-code.js';

/** No listener is open: only the registration has the redirect URI. */
const unusedRedirectUri = 'http://127.0.0.1/callback';

/** What `slow_down` adds to the interval, in milliseconds (RFC 8628 section 3.5). */
const slowDownMs = 5_000;

/** Longest pause between two requests while the authorization server is in trouble. */
const maxPauseMs = 60_000;

/**
 * Logs in through a browser anywhere (RFC 8628): the user types a code there, and the token endpoint is asked, at the pace
 * that it wants, until the user has decided, the code has expired or the time is up.
 * @throws Failure of discovery, `device_flow_missing`, `device_site_refused`, `denied`, `device_code_expired`,
 * `login_timed_out`, or as `askForToken`
 */
export async function deviceLogin(world: LoginPorts, request: PersonLogin): Promise<LoginRecord> {
  const { signal } = request;
  const { timeoutMs, look } = request.person;
  const begun = await beginLogin(world, request, 'device_code');
  const { ports, discovery, preregistered, meant } = begun;
  const { issuer, deviceAuthorizationEndpoint: endpoint } = discovery.authorizationServer;
  if (endpoint === undefined) throw deviceFlowMissing(issuer, meant);
  const { way, kept } = await chooseClientWay(begun, true);
  const isManual = way === 'preregistered';
  const redirectUri = preregistered?.redirectUri ?? (isManual ? kept?.redirectUri : undefined) ?? unusedRedirectUri;
  const tried = { begun, way, redirectUri, hasFixedPort: false, byCode: true };
  const client = await identifyClient(tried);
  announce(begun);
  try {
    const asked = await askForDevice(begun, { ...begun, client, signal }, endpoint);
    await checkSite(begun, asked.device, signal);
    ports.terminal.event(deviceEvent(asked.device));
    for (const line of await deviceLines(asked.device, { timeoutMs, look })) ports.terminal.tell(line);
    ports.progress.begin('Waiting for the answer in the browser');
    const redeemed = await waitForToken({ ...begun, client: asked.client, signal }, asked.device, timeoutMs);
    const record = await saveCredential(begun, { redeemed, way: client.way, grant: 'authorization_code' });
    // Nothing was redirected: what the server takes of a document is not known.
    if (client.way !== 'metadata') await keepClient(begun, client, redirectUri, redeemed.client.method);
    return record;
  } catch (error) {
    await forgetRefusedClient({ ...tried, client }, error);
    // Of the grant itself (RFC 6749 section 5.2).
    const isNotAllowed = isFailure(error, 'unauthorized_client', 'unsupported_grant_type');
    throw isNotAllowed ? deviceGrantRefused(error, meant) : loginRefused(begun, error);
  } finally {
    ports.progress.end();
  }
}

/** Asks for a code (RFC 8628 section 3.1). @returns The client with the method that the authorization server took, too. */
async function askForDevice({ added }: BegunLogin, request: TokenRequest, endpoint: string) {
  const { ports, discovery, scopes, signal } = request;
  const { zone, authorizationServer: server } = discovery;
  const { issuer } = server;
  const step = { name: 'device-authorization', asked: `POST ${endpoint}`, rule: 'RFC 8628 section 3.2' } as const;
  const form = { endpoint, issuer, resource: resourceToSend(discovery), zone, scopes, added, signal };
  const { result, client } = await askAsClient(server, request.client, async (as) => {
    const response = await takeStep(ports, step, () =>
      sendDeviceAuthorizationRequest(ports.http, { ...form, client: as }),
    );
    return await validateDeviceResponse(response, { zone, now: ports.clock.now() });
  });
  const [came, verdict] = result.ok ? (['a user code', 'pass'] as const) : ([result.problem, 'failure'] as const);
  ports.journal.record({ ...step, came, verdict });
  if (!result.ok) throw tokenFailure(result, issuer);
  await ports.http.check({ url: result.device.verificationUri, namedBy: zone, signal });
  return { device: result.device, client };
}

/**
 * Asks the token endpoint (RFC 8628 sections 3.4 and 3.5). What the network or a server in trouble does not answer is
 * asked again, less often each time.
 */
async function waitForToken(request: TokenRequest, device: DeviceAuthorization, timeoutMs: number): Promise<Redeemed> {
  const { ports, discovery, signal } = request;
  const { issuer } = discovery.authorizationServer;
  const { clock } = ports;
  const end = clock.monotonic() + Math.min(device.lifetimeMs, timeoutMs);
  let { client } = request;
  let { intervalMs } = device;
  let pauseMs = intervalMs;
  for (;;) {
    await clock.sleep(Math.min(pauseMs, end - clock.monotonic()), signal);
    if (clock.monotonic() >= end) {
      throw timeoutMs < device.lifetimeMs ? deviceLoginTimedOut(timeoutMs) : deviceCodeExpired(issuer);
    }
    const asked = await askOnce({ ...request, client }, device);
    if (asked !== undefined) ({ client } = asked);
    const result = asked?.result;
    if (result?.ok) return { token: recordToken('redeem', request, result.token), client };
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

/** Undefined if the network had no response. */
async function askOnce(request: TokenRequest, { deviceCode }: DeviceAuthorization) {
  try {
    return await tokenResult(request, { deviceCode });
  } catch (error) {
    if (!isFailure(error, 'network_failed', 'timed_out') || request.signal.aborted) throw error;
    return undefined;
  }
}
