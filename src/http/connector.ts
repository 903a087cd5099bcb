import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { parseAddress } from '../core/ip-address.js';
import { withTimeLimit } from './deadline.js';
import { type NetworkTrouble, timedOut, tunnelRefused } from './failures.js';
import { failureOf } from './network-cause.js';
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
    let close: () => void = () => undefined;
    try {
      let socket = await openTcp(origin.addresses, party.port, inner);
      const opened = socket;
      close = () => void opened.destroy();
      // The signal may be aborted after the connection is there and before the caller has it.
      inner.addEventListener('abort', close, { once: true });
      inner.throwIfAborted();
      if (proxy !== undefined) {
        if (proxy.secure) socket = await openTls(socket, proxy.host, await trust(undefined), inner);
        socket = await openTunnel(socket, authority(origin), proxy, inner);
        party = origin;
      }
      return origin.secure ? await openTls(socket, origin.host, await trust(origin.url), inner) : socket;
    } catch (error) {
      close();
      throw failureOf(error, party);
    }
  });
}

/** Milliseconds after which the next address is tried while the one before is still silent (RFC 8305). */
const headStart = 250;

/**
 * Opens a TCP connection to the first of `addresses` that accepts it, each started 250 ms after the one before it, or at
 * once when that failed. Connects to these very addresses: nothing is looked up.
 * @throws AggregateError with one error for each address, or the signal's reason
 */
async function openTcp(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const { connect } = await import('node:net');
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const open = new Set<Socket>();
    const errors: Error[] = [];
    let next = 0;
    let timer: NodeJS.Timeout | undefined;
    const finish = (end: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      for (const socket of open) socket.destroy();
      end();
    };
    const abort = (): void => finish(() => reject(signal.reason));
    const tryNext = (): void => {
      clearTimeout(timer);
      const host = addresses[next];
      if (host === undefined) return;
      next += 1;
      const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
      open.add(socket);
      socket.on('error', (error) => {
        if (!open.delete(socket)) return;
        errors.push(error);
        if (errors.length === addresses.length) finish(() => reject(new AggregateError(errors)));
        else tryNext();
      });
      socket.once('connect', () => {
        if (open.delete(socket)) finish(() => resolve(socket));
      });
      timer = setTimeout(tryNext, headStart);
    };
    signal.addEventListener('abort', abort, { once: true });
    tryNext();
  });
}

/**
 * Speaks TLS over an open connection. The certificate is always checked, and for `host`: neither an
 * option nor NODE_TLS_REJECT_UNAUTHORIZED turns that off. The name is sent as SNI, an address is not.
 * @throws the TLS error of Node, or the signal's reason
 */
async function openTls(socket: Socket, host: string, context: SecureContext, signal: AbortSignal): Promise<TLSSocket> {
  const { connect } = await import('node:tls');
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const secure = connect({
      socket,
      host,
      servername: parseAddress(host) === undefined ? host.replace(/\.$/, '') : '',
      secureContext: context,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', abort);
      secure.destroy();
      socket.destroy();
      reject(error);
    };
    const abort = (): void => fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    secure.once('error', fail);
    secure.once('secureConnect', () => {
      signal.removeEventListener('abort', abort);
      secure.off('error', fail);
      // TLS that breaks later leaves Node's socket open, and the response pending.
      secure.on('error', () => secure.destroy());
      resolve(secure);
    });
  });
}

/**
 * Asks the proxy at the other end of `socket` for a tunnel to `target` (CONNECT, RFC 9110 section 9.3.6): the connection
 * to be used as if it led there.
 * @throws Failure `network_failed`; the error of Node
 */
async function openTunnel(socket: Socket, target: string, proxy: HttpProxy, signal: AbortSignal): Promise<Socket> {
  const { request } = process.getBuiltinModule('node:http');
  const credentials = proxy.authorization && { 'proxy-authorization': proxy.authorization.reveal() };
  return new Promise((resolve, reject) => {
    const options = { method: 'CONNECT', path: target, createConnection: () => socket, maxHeaderSize: 16_384, signal };
    const connecting = request({ ...options, headers: { host: target, ...credentials } });
    connecting.on('error', reject).once('connect', ({ statusCode: status = 0 }, stream: Socket, rest: Buffer) => {
      if (status >= 200 && status <= 299) {
        if (rest.length > 0) stream.unshift(rest);
        resolve(stream);
      } else {
        stream.on('error', () => undefined).destroy();
        reject(tunnelRefused(target, authority(proxy), status));
      }
    });
    connecting.end();
  });
}

function authority({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
