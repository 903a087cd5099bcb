import { Failure, isFailure } from '../../core/failure.js';
import { timeLimit } from '../../core/time.js';
import type { Attempt } from '../client/identify-client.js';
import type { BegunLogin } from '../ports.js';
import type { Redeemed } from '../redeem.js';
import { askForDevice, waitForDeviceToken } from './device-code.js';
import { agreesToSite, deviceEvent, deviceLines } from './show-code.js';

/** How long the lines of the address wait for those of a code, in milliseconds. */
const patienceMs = 5_000;

const noCode = 'There is no code to type: the authorization server does not let this client log in by one.';

/** Failures that are true of the other way, too. */
const isFinal = (error: unknown): error is Failure => isFailure(error, 'denied', 'invalid_client');

/** What is shown of a code, and the token that it brings: settles only once the user has decided on the code's page. */
export interface OfferedCode {
  readonly lines: readonly string[];
  readonly redeemed: Promise<Redeemed>;
}

const without = (...lines: readonly string[]): OfferedCode => ({ lines, redeemed: new Promise(() => {}) });

/**
 * Offers a login by a code (RFC 8628) beside the address of the login page, where the authorization server has it and this
 * client may use it; one to be typed on another site than its own, after a yes at the terminal. It is an extra: whatever
 * it fails of is recorded, and the login goes on. Both end with the user's no, and where the client is not known: the login
 * page would only say the same.
 * @throws Failure `denied`, `invalid_client`; the signal's reason
 */
export async function offerCode({ begun, identify }: Attempt, signal: AbortSignal): Promise<OfferedCode> {
  const { ports, discovery, request } = begun;
  const { timeoutMs, look } = request.person;
  const { deviceAuthorizationEndpoint: endpoint } = discovery.authorizationServer;
  if (endpoint === undefined) return without();
  const client = await identify();
  if (client.device === false) return without();
  const patience = AbortSignal.any([signal, timeLimit(patienceMs)]);
  try {
    const started = await askForDevice({ ...begun, client, signal: patience }, endpoint);
    const { site, agrees = false } = await agreesToSite(begun, started.device, signal);
    if (site !== undefined) recordSite(ports, site, agrees);
    if (!agrees) return without();
    const redeemed = waitForDeviceToken({ ...started, signal }, timeoutMs).catch((error: unknown) => {
      return isFinal(error) ? Promise.reject(error) : new Promise<never>(() => {});
    });
    redeemed.catch(() => undefined); // the page may win, and nothing looks at it then
    ports.terminal.event(deviceEvent(started.device));
    return { lines: await deviceLines(started.device, { timeoutMs, isFallback: true, look }), redeemed };
  } catch (error) {
    signal.throwIfAborted();
    if (isFinal(error) || !(error instanceof Failure || patience.aborted)) throw error;
    return isFailure(error, 'unauthorized_client') ? without(noCode) : without();
  }
}

/** A code for another site was not asked for: it is shown to a person who says yes to that site, and to nobody else. */
function recordSite({ journal }: BegunLogin['ports'], site: string, agrees: boolean): void {
  const asked = `a code to type at ${site}`;
  const came = agrees ? 'the person agrees' : 'not shown: another site than the authorization server’s';
  journal.record({
    name: 'device-site',
    asked,
    came,
    rule: 'RFC 8628 section 5.4',
    verdict: agrees ? 'pass' : 'warning',
  });
}
