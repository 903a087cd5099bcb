import { Failure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import type { LoginRecord } from '../../core/records.js';
import type { DeviceAuthorization } from '../../oauth/device.js';
import { manualRegistration } from '../../tokens/registrations.js';
import { announce, type BegunLogin, beginLogin, clientRequest } from '../begin-login.js';
import { identifyClient } from '../client/identify-client.js';
import { forgetRefusedClient, keepClient } from '../client/known-client.js';
import { registrationServed } from '../client/register.js';
import type { LoginPorts, LoginRequest } from '../ports.js';
import { keepLogin } from '../save-credential.js';
import { askForDevice, waitForDeviceToken } from './device-code.js';
import { deviceFlowMissing, deviceGrantRefused, deviceSiteRefused } from './failures.js';
import { agreesToSite, deviceEvent, deviceLines, otherSiteOf } from './show-code.js';

/** Codes of a refusal of the grant itself (RFC 6749 section 5.2). */
const grantRefusals: readonly string[] = ['unauthorized_client', 'unsupported_grant_type'];

/** No listener is open: the redirect URI stands in the registration only. */
const unusedRedirectUri = 'http://127.0.0.1/callback';

/**
 * Logs in through a browser anywhere (RFC 8628): the person types a code there, and the token endpoint is asked, at
 * the pace that it wants, until the person has decided, the code has expired or the time is up.
 * @throws Failure of discovery, `device_flow_missing`, `denied`, `device_code_expired`, `login_timed_out`, and as
 * `redeem`
 */
export async function deviceLogin(
  world: LoginPorts,
  request: Omit<LoginRequest, 'mode' | 'availability'>,
): Promise<LoginRecord> {
  const { timeoutMs, signal } = request;
  const begun = await beginLogin(world, request, 'device_code');
  const { ports, discovery, kept, preregistered, scopes } = begun;
  const { issuer, deviceAuthorizationEndpoint } = discovery.authorizationServer;
  if (deviceAuthorizationEndpoint === undefined) throw deviceFlowMissing(issuer, begun.meant);
  const manual = manualRegistration(kept, preregistered?.clientId);
  const redirectUri = preregistered?.redirectUri ?? manual?.redirectUri ?? unusedRedirectUri;
  const how = { redirectUri, byDevice: true, codeBeside: false };
  const client = await identifyClient(ports, clientRequest(begun, request, how));
  announce(begun);
  try {
    const asked = { discovery, client, scopes, timeoutMs, signal };
    const started = await askForDevice(ports, asked, deviceAuthorizationEndpoint);
    await checkSite(ports, begun, started.device, request);
    ports.terminal.event(deviceEvent(started.device));
    deviceLines(started.device, { timeoutMs, beside: false }).forEach(ports.terminal.tell);
    ports.progress.begin('Waiting for the answer in the browser');
    const redeemed = await waitForDeviceToken(ports, { ...asked, ...started });
    const record = await keepLogin(ports, {
      request,
      discovery,
      redeemed,
      way: client.way,
      grant: 'authorization_code',
    });
    if (client.way === 'dynamic') await registrationServed(ports, issuer, client);
    const authMethod = redeemed.client.method;
    await keepClient(ports, { discovery, client, scopes, redirectUri, authMethod });
    return record;
  } catch (error) {
    await forgetRefusedClient(ports, { issuer, client }, error);
    const isNotAllowed = error instanceof Failure && grantRefusals.includes(error.code);
    throw isNotAllowed ? deviceGrantRefused(error, begun.meant) : error;
  } finally {
    ports.progress.end();
  }
}

/**
 * A code for another site than the authorization server's own needs a yes; where nobody can be asked, a login with
 * that authorization server before will do.
 * @throws Failure `device_site_refused`
 */
async function checkSite(
  { terminal }: Pick<CorePorts, 'terminal'>,
  { discovery, isNew, meant: login }: BegunLogin,
  device: DeviceAuthorization,
  { signal }: Pick<LoginRequest, 'signal'>,
): Promise<void> {
  const { issuer } = discovery.authorizationServer;
  const site = otherSiteOf(issuer, device);
  if (site === undefined || (!terminal.interactive && !isNew.issuer)) return;
  if (terminal.interactive && (await agreesToSite(terminal, { issuer, site, signal }))) return;
  throw deviceSiteRefused(issuer, site, { login, asked: terminal.interactive });
}
