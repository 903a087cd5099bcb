import type { OnReadOpts, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type NetworkTrouble, timedOut } from '../../errors/network.js';
import { failureOf } from './network-cause.js';
import type { Place } from './place.js';
import type { HttpProxy } from './proxy-settings.js';
import { openTcp } from './tcp.js';
import { withTimeLimit } from './time-limit.js';
import { openTls } from './tls.js';
import { openTunnel } from './tunnel.js';

export interface ConnectorOptions {
  /** Makes the TLS context on first need. */
  readonly trust: (origin: string | undefined) => Promise<SecureContext>;
  readonly connectMs: number;
}

/**
 * Opens one connection to a place within `connectMs`: TCP to the addresses that were checked, the tunnel where
 * there is a proxy, TLS where the origin is https.
 * @param reading where what is read from the TCP connection goes; only to a place that is neither behind a proxy nor
 *   secure
 * @throws Failure `network_failed`, `tls_failed`, `timed_out`, `network_setting_unusable`
 */
export async function connectTo(
  place: Place,
  options: ConnectorOptions,
  signal: AbortSignal,
  reading?: OnReadOpts,
): Promise<Socket> {
  const { connectMs } = options;
  const { proxy } = place;
  const opening = proxy === undefined ? '' : ` through the HTTP proxy ${proxy.host}:${proxy.port}`;
  const late = (): Error => timedOut(place.host, `opening the connection${opening}`, connectMs);
  return withTimeLimit({ milliseconds: connectMs, late, signal }, async (inner) => {
    const first = proxy === undefined ? place : partyOf(proxy, place);
    const opened = await told(first, openTcp(place.addresses, first.port, inner, reading));
    const close = (): void => void opened.destroy();
    // For as long as the signal may be aborted: a connection that is there just then is nobody's.
    inner.addEventListener('abort', close, { once: true });
    try {
      inner.throwIfAborted();
      return await secured(opened, place, options, inner);
    } catch (error) {
      close();
      throw error;
    }
  });
}

async function secured(
  opened: Socket,
  place: Place,
  options: ConnectorOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { proxy } = place;
  let socket = opened;
  if (proxy?.secure)
    socket = await told(
      partyOf(proxy, place),
      openTls(socket, proxy.host, await options.trust(undefined), signal),
    );
  if (proxy) socket = await told(partyOf(proxy, place), openTunnel(socket, { ...place, proxy }, signal));
  if (!place.secure) return socket;
  return told(place, openTls(socket, place.host, await options.trust(place.origin), signal));
}

type Party = Omit<NetworkTrouble, 'code'>;

function partyOf({ host, port }: HttpProxy, place: Place): Party {
  return { host, port, proxyTo: place.host };
}

/** Names the party that failed: the proxy, or the origin itself. */
async function told<T>(party: Party, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw failureOf(error, party);
  }
}
