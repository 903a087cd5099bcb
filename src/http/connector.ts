import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { parseAddress } from '../core/ip-address.js';
import { withTimeLimit } from './deadline.js';
import { timedOut } from './failures.js';
import { failureOf, type NetworkTrouble, tunnelRefused } from './network-failures.js';
import type { Origin } from './origin.js';
import type { HttpProxy } from './proxy-settings.js';

export interface ConnectorOptions {
  /** Makes the TLS context on first need; undefined: for a proxy. */
  readonly trust: (origin: string | undefined) => Promise<SecureContext>;
  readonly connectMs: number;
}

/**
 * Opens one connection to an origin within `connectMs`: TCP to the addresses that were checked, the tunnel where there is
 * a proxy, TLS where the origin is https. A failure names the party that failed: the proxy, or the origin itself.
 * @throws Failure `network_failed`, `tls_failed`, `timed_out`, `network_setting_unusable`
 */
export async function connectTo(
  origin: Origin,
  { trust, connectMs }: ConnectorOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { proxy } = origin;
  const through = proxy === undefined ? '' : ` through the HTTP proxy ${proxy.host}:${proxy.port}`;
  const failure = (): Error => timedOut(origin.host, `opening the connection${through}`, connectMs);
  return withTimeLimit(connectMs, failure, signal, async (inner) => {
    let party: Omit<NetworkTrouble, 'code'> =
      proxy === undefined ? origin : { host: proxy.host, port: proxy.port, proxyTo: origin.host };
    let opened: Socket | undefined;
    try {
      opened = await openTcp(party, origin.addresses, inner);
      let socket = opened;
      if (proxy !== undefined) {
        if (proxy.secure) socket = await openTls(socket, proxy.host, await trust(undefined), inner);
        socket = await openTunnel(socket, authority(origin), proxy, inner);
        party = origin;
      }
      return origin.secure ? await openTls(socket, origin.host, await trust(origin.url), inner) : socket;
    } catch (error) {
      opened?.destroy();
      throw failureOf(error, party);
    }
  });
}

/** Milliseconds that one address has before the next is tried; the last has what is left of the limit. */
const attemptMs = 500;

/**
 * Opens a TCP connection to one of these very addresses: nothing is looked up.
 * @throws AggregateError with one error for each address, or the error of the only one
 */
async function openTcp(
  { host, port }: { readonly host: string; readonly port: number },
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  const { connect, isIPv6 } = await import('node:net');
  signal.throwIfAborted();
  const pinned = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookup: LookupFunction = (_host, _options, callback) => callback(null, pinned);
  const attempts = { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: attemptMs };
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000, ...attempts });
  // Also after it is connected, and before the caller has it.
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  await once(socket, 'connect', { signal });
  return socket;
}

/**
 * Speaks TLS over an open connection. The certificate is always checked, and for `host`: neither an
 * option nor NODE_TLS_REJECT_UNAUTHORIZED turns that off. The name is sent as SNI, an address is not.
 * @throws the TLS error of Node
 */
async function openTls(socket: Socket, host: string, context: SecureContext, signal: AbortSignal): Promise<TLSSocket> {
  const { connect } = await import('node:tls');
  signal.throwIfAborted();
  const secure = connect({
    socket,
    host,
    servername: parseAddress(host) === undefined ? host.replace(/\.$/, '') : '',
    secureContext: context,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  // TLS that breaks later leaves Node's socket open, and the response pending.
  secure.on('error', () => secure.destroy());
  await once(secure, 'secureConnect', { signal });
  return secure;
}

/**
 * Asks the proxy at the other end of `socket` for a tunnel to `target` (CONNECT, RFC 9110 section 9.3.6): the connection
 * to be used as if it led there.
 * @throws Failure `network_failed`; the error of Node
 */
async function openTunnel(socket: Socket, target: string, proxy: HttpProxy, signal: AbortSignal): Promise<Socket> {
  const { request } = process.getBuiltinModule('node:http');
  const credentials = proxy.authorization && { 'proxy-authorization': proxy.authorization.reveal() };
  const options = { method: 'CONNECT', path: target, createConnection: () => socket, maxHeaderSize: 16_384, signal };
  const connecting = request({ ...options, headers: { host: target, ...credentials } }).end();
  const [{ statusCode: status = 0 }, stream, rest] = (await once(connecting, 'connect')) as [
    IncomingMessage,
    Socket,
    Buffer,
  ];
  if (status < 200 || status > 299) {
    stream.on('error', () => undefined).destroy();
    throw tunnelRefused(target, authority(proxy), status);
  }
  if (rest.length > 0) stream.unshift(rest);
  return stream;
}

function authority({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
