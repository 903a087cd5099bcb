import { Failure, isFailure } from '../../core/failure.js';
import { timeLimit } from '../../core/time.js';
import type { ClientAuthentication } from '../../oauth/client-authentication.js';
import type { BegunLogin, PersonLogin } from '../ports.js';
import type { Redeemed } from '../redeem.js';
import { askForDevice, waitForDeviceToken } from './device-code.js';
import { agreesToSite, deviceEvent, deviceLines } from './show-code.js';

/** How long the lines of the address wait for those of a code, in milliseconds. */
const patienceMs = 5_000;

const noCode = 'There is no code to type: the authorization server does not let this client log in by one.';

/** Failures that are true of the other way, too. */
const isFinal = (error: unknown): error is Failure => isFailure(error, 'denied', 'invalid_client');

/** A code with the address of the login page: whichever the person uses first wins. */
interface DeviceFallback {
  /** Asks for a code; what to show of it, nothing where there is none to be had. Then the token is waited for. */
  readonly begin: (signal: AbortSignal) => Promise<readonly string[]>;
  /** What comes of the code: settles only when the person has decided there. */
  readonly redeemed: Promise<Redeemed>;
}

/**
 * Offers a login by a code (RFC 8628) with another way, where the authorization server has it and this client may use
 * it; one to be typed on another site than its own, after a yes at the terminal. It is an extra: whatever it fails of is
 * recorded, and the other way goes on. Both end with the person's no, and where the client is not known: the login page
 * would only say the same.
 */
export function deviceFallback(
  begun: BegunLogin<PersonLogin>,
  identify: () => Promise<ClientAuthentication & { readonly device?: boolean }>,
): DeviceFallback {
  const { ports, discovery, request } = begun;
  const { timeoutMs, look } = request.person;
  const { deviceAuthorizationEndpoint: endpoint } = discovery.authorizationServer;
  let succeed = (_redeemed: Redeemed): void => {};
  let fail = (_reason: unknown): void => {};
  const redeemed = new Promise<Redeemed>((resolve, reject) => {
    succeed = resolve;
    fail = reject;
  });
  redeemed.catch(() => undefined); // whoever has won does not look at it any more
  const begin = async (signal: AbortSignal): Promise<readonly string[]> => {
    if (endpoint === undefined) return [];
    const client = await identify();
    if (client.device === false) return [];
    const patience = AbortSignal.any([signal, timeLimit(patienceMs)]);
    try {
      const started = await askForDevice({ ...begun, client, signal: patience }, endpoint);
      const { site, agrees = false } = await agreesToSite(begun, started.device, signal);
      if (site !== undefined) recordSite(ports, site, agrees);
      if (!agrees) return [];
      waitForDeviceToken({ ...started, signal }, timeoutMs).then(succeed, (error: unknown) => {
        if (isFinal(error)) fail(error);
      });
      ports.terminal.event(deviceEvent(started.device));
      return await deviceLines(started.device, { timeoutMs, isFallback: true, look });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure) && !patience.aborted) throw error;
      if (isFinal(error)) fail(error);
      return isFailure(error, 'unauthorized_client') ? [noCode] : [];
    }
  };
  return { redeemed, begin };
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
