import { isFailure } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import { manualRegistration } from '../../tokens/registrations.js';
import { announce, beginLogin } from '../begin-login.js';
import { identifyClient } from '../client/identify-client.js';
import { forgetRefusedClient, keepClient } from '../client/register.js';
import { loginRefused } from '../client/way-out.js';
import type { LoginPorts, PersonLogin } from '../ports.js';
import { saveCredential } from '../save-credential.js';
import { askForDevice, waitForDeviceToken } from './device-code.js';
import { deviceFlowMissing, deviceGrantRefused, deviceSiteRefused } from './failures.js';
import { agreesToSite, deviceEvent, deviceLines } from './show-code.js';

/** No listener is open: only the registration has the redirect URI. */
const unusedRedirectUri = 'http://127.0.0.1/callback';

/**
 * Logs in through a browser anywhere (RFC 8628): the person types a code there, and the token endpoint is asked, at
 * the pace that it wants, until the person has decided, the code has expired or the time is up.
 * @throws Failure of discovery, `device_flow_missing`, `denied`, `device_code_expired`, `login_timed_out`, and as
 * `redeem`
 */
export async function deviceLogin(world: LoginPorts, request: PersonLogin): Promise<LoginRecord> {
  const { signal } = request;
  const { timeoutMs, look } = request.person;
  const begun = await beginLogin(world, request, 'device_code');
  const { ports, discovery, kept, preregistered } = begun;
  const { issuer, deviceAuthorizationEndpoint: endpoint } = discovery.authorizationServer;
  if (endpoint === undefined) throw deviceFlowMissing(issuer, begun.meant);
  const manual = manualRegistration(kept, preregistered?.clientId);
  const redirectUri = preregistered?.redirectUri ?? manual?.redirectUri ?? unusedRedirectUri;
  const tried = { begun, redirectUri, hasFixedPort: false, userCode: 'only' } as const;
  const client = await identifyClient(tried);
  announce(begun);
  try {
    const started = await askForDevice({ ...begun, client, signal }, endpoint);
    // Where nobody can be asked about another site, a login with that authorization server before will do.
    const { site, agrees = !begun.isNew.issuer } = await agreesToSite(begun, started.device, signal);
    if (site !== undefined && !agrees) {
      throw deviceSiteRefused(issuer, site, { login: begun.meant, asked: ports.terminal.interactive });
    }
    ports.terminal.event(deviceEvent(started.device));
    const lines = await deviceLines(started.device, { timeoutMs, isFallback: false, look });
    lines.forEach(ports.terminal.tell);
    ports.progress.begin('Waiting for the answer in the browser');
    const redeemed = await waitForDeviceToken(started, timeoutMs);
    const record = await saveCredential(begun, { redeemed, way: client.way, grant: 'authorization_code' });
    // Nothing was redirected: what the server takes of a document is not known.
    if (client.way !== 'metadata') await keepClient(begun, client, redirectUri, redeemed.client.method);
    return record;
  } catch (error) {
    await forgetRefusedClient({ ...tried, client }, error);
    // Of the grant itself (RFC 6749 section 5.2).
    const isNotAllowed = isFailure(error, 'unauthorized_client', 'unsupported_grant_type');
    throw isNotAllowed ? deviceGrantRefused(error, begun.meant) : loginRefused(begun, error);
  } finally {
    ports.progress.end();
  }
}
