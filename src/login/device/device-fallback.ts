import { Failure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import type { HttpPorts } from '../../http/request.js';
import type { ClientAuthentication } from '../../oauth/client-authentication.js';
import type { DeviceAuthorization } from '../../oauth/device.js';
import type { Discovery } from '../../oauth/discover.js';
import type { Redeemed } from '../redeem.js';
import { askForDevice, type DeviceRequest, waitForDeviceToken } from './device-code.js';
import { agreesToSite, deviceEvent, deviceLines, otherSiteOf } from './show-code.js';

/** How long the person's address waits for a code to stand beside it, in milliseconds. */
const patienceMs = 5_000;

const noCode = 'There is no code to type: the authorization server does not let this client log in by one.';

/** Codes of failures that are true of the other way, too. */
const finalCodes: readonly string[] = ['denied', 'invalid_client'];

const isFinal = ({ code }: Failure): boolean => finalCodes.includes(code);

/** A code beside the address of the login page: whichever the person uses first wins. */
export interface DeviceBeside {
  /** Asks for a code; what to show of it, nothing where there is none to be had. Then the token is waited for. */
  readonly begin: (signal: AbortSignal) => Promise<readonly string[]>;
  /** What comes of the code: settles only when the person has decided there. */
  readonly redeemed: Promise<Redeemed>;
}

/**
 * Offers a login by a code (RFC 8628) beside another way, where the authorization server has it and this client may use
 * it; one to be typed on another site than its own, after a yes at the terminal. It is an extra: whatever it fails of is
 * recorded, and the other way goes on. Both end with the person's no, and where the client is not known: the login page
 * would only say the same.
 */
export function deviceBeside(
  ports: Pick<HttpPorts, 'http'> & Pick<CorePorts, 'terminal' | 'journal' | 'clock'>,
  request: Omit<DeviceRequest, 'signal' | 'client'> & {
    readonly client: () => Promise<ClientAuthentication & { readonly device?: boolean }>;
    readonly timeoutMs: number;
  },
): DeviceBeside {
  const { discovery, timeoutMs } = request;
  const { deviceAuthorizationEndpoint: endpoint } = discovery.authorizationServer;
  let settle = (_redeemed: Redeemed): void => {};
  let fail = (_denied: Failure): void => {};
  const redeemed = new Promise<Redeemed>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  redeemed.catch(() => undefined); // whoever has won does not look at it any more
  const wait = async (started: Parameters<typeof waitForDeviceToken>[1]) => {
    try {
      settle(await waitForDeviceToken(ports, started));
    } catch (error) {
      if (error instanceof Failure && isFinal(error)) fail(error);
    }
  };
  return {
    redeemed,
    begin: async (signal) => {
      if (endpoint === undefined) return [];
      const client = await request.client();
      if (client.device === false) return [];
      const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
      try {
        const started = await askForDevice(ports, { ...request, client, signal: patience }, endpoint);
        if (!(await mayShow(ports, discovery, started.device, signal))) return [];
        void wait({ ...request, ...started, timeoutMs, signal });
        ports.terminal.event(deviceEvent(started.device));
        return deviceLines(started.device, { timeoutMs, beside: true });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Failure) && !patience.aborted) throw error;
        if (!(error instanceof Failure)) return [];
        if (isFinal(error)) fail(error);
        return error.code === 'unauthorized_client' ? [noCode] : [];
      }
    },
  };
}

/** A code for another site was not asked for: it is shown to a person who says yes to that site, and to nobody else. */
async function mayShow(
  ports: Pick<CorePorts, 'terminal' | 'journal'>,
  discovery: Discovery,
  device: DeviceAuthorization,
  signal: AbortSignal,
): Promise<boolean> {
  const { issuer } = discovery.authorizationServer;
  const site = otherSiteOf(issuer, device);
  if (site === undefined) return true;
  const may = ports.terminal.interactive && (await agreesToSite(ports.terminal, { issuer, site, signal }));
  ports.journal.record({
    name: 'device-site',
    asked: `a code to type at ${site}`,
    came: may ? 'the person agrees' : 'not shown: another site than the authorization server’s',
    rule: 'RFC 8628 section 5.4',
    verdict: may ? 'pass' : 'warning',
  });
  return may;
}
