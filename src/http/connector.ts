import { type OnReadOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext, TLSSocket } from 'node:tls';
import { parseAddress } from '../core/ip-address.js';
import { withTimeLimit } from './deadline.js';
import { type NetworkTrouble, networkFailed, timedOut, tunnelRefused } from './failures.js';
import { ConnectError, failureOf } from './network-cause.js';
import type { Origin } from './origin.js';
import type { HttpProxy } from './proxy-settings.js';

export interface ConnectorOptions {
  /** Makes the TLS context on first need. */
  readonly trust: (origin: string | undefined) => Promise<SecureContext>;
  readonly connectMs: number;
}

/**
 * Opens one connection to a origin within `connectMs`: TCP to the addresses that were checked, the tunnel where
 * there is a proxy, TLS where the origin is https.
 * @param reading where what is read from the TCP connection goes; only to a origin that is neither behind a proxy nor
 *   secure
 * @throws Failure `network_failed`, `tls_failed`, `timed_out`, `network_setting_unusable`
 */
export async function connectTo(
  origin: Origin,
  options: ConnectorOptions,
  signal: AbortSignal,
  reading?: OnReadOpts,
): Promise<Socket> {
  const { connectMs } = options;
  const { proxy } = origin;
  const opening = proxy === undefined ? '' : ` through the HTTP proxy ${proxy.host}:${proxy.port}`;
  const late = (): Error => timedOut(origin.host, `opening the connection${opening}`, connectMs);
  return withTimeLimit({ milliseconds: connectMs, late, signal }, async (inner) => {
    const first = proxy === undefined ? origin : partyOf(proxy, origin);
    const opened = await named(first, openTcp(origin.addresses, first.port, inner, reading));
    const close = (): void => void opened.destroy();
    // For as long as the signal may be aborted: a connection that is there just then is nobody's.
    inner.addEventListener('abort', close, { once: true });
    try {
      inner.throwIfAborted();
      return await secured(opened, origin, options, inner);
    } catch (error) {
      close();
      throw error;
    }
  });
}

async function secured(
  opened: Socket,
  origin: Origin,
  options: ConnectorOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { proxy } = origin;
  let socket = opened;
  if (proxy?.secure)
    socket = await named(partyOf(proxy, origin), openTls(socket, proxy.host, await options.trust(undefined), signal));
  if (proxy) socket = await named(partyOf(proxy, origin), openTunnel(socket, { ...origin, proxy }, signal));
  if (!origin.secure) return socket;
  return named(origin, openTls(socket, origin.host, await options.trust(origin.url), signal));
}

type Party = Omit<NetworkTrouble, 'code'>;

function partyOf({ host, port }: HttpProxy, origin: Origin): Party {
  return { host, port, proxyTo: origin.host };
}

/** Names the party that failed: the proxy, or the origin itself. */
async function named<T>(party: Party, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw failureOf(error, party);
  }
}

/** Milliseconds after which the next address is tried beside the one that has not answered (RFC 8305). */
const headStart = 250;

/**
 * Opens a TCP connection to the first of `addresses` that answers, each started 250 ms after the one
 * before it, or at once when that failed. Connects to these very addresses: nothing is looked up.
 * @param reading where what is read goes (`onread` of `node:net`); not given: to whoever listens for `data`
 * @throws AggregateError with one error for each address, or the signal's reason
 */
export async function openTcp(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
  reading?: OnReadOpts,
): Promise<Socket> {
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
      const socket = connect({
        ...{ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 },
        ...(reading === undefined ? {} : { onread: reading }),
      });
      open.add(socket);
      socket.on('error', (error) => {
        if (!open.delete(socket)) return;
        errors.push(error);
        if (errors.length === addresses.length) finish(() => reject(new AggregateError(errors)));
        else tryNext();
      });
      socket.once('connect', () => {
        if (!open.delete(socket)) return;
        finish(() => resolve(socket));
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
export async function openTls(
  socket: Socket,
  host: string,
  context: SecureContext,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { connect } = await import('node:tls');
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const servername = parseAddress(host) === undefined ? host.replace(/\.$/, '') : '';
    const secure = connect({
      socket,
      host,
      servername,
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
      // TLS that breaks later leaves Node's socket open, and whoever waits for an answer waiting.
      secure.on('error', () => secure.destroy());
      resolve(secure);
    });
  });
}

const hungUp = Object.assign(new Error('the proxy has hung up'), { code: 'UND_ERR_SOCKET' });

/**
 * Asks the proxy at the other end of `socket` for a tunnel to the origin (CONNECT, RFC 9110 section
 * 9.3.6) and returns the connection to be used as if it led there.
 * @throws Failure `network_failed`; the error of undici
 */
export async function openTunnel(
  socket: Socket,
  origin: Origin & { readonly proxy: HttpProxy },
  signal: AbortSignal,
): Promise<Socket> {
  const { Client } = await import('undici');
  const { proxy } = origin;
  const target = authority(origin);
  let given = false;
  const client = new Client(`http://${authority(proxy)}`, {
    // Where this one was closed before it was used, undici asks for another, without end, and there is none.
    connect: (_, callback) =>
      queueMicrotask(() => {
        if (given) callback(new ConnectError(hungUp), null);
        else callback(null, socket);
        given = true;
      }),
    maxHeaderSize: 16_384,
    headersTimeout: 0,
  });
  const answer = await client.connect({
    path: target,
    headers: {
      host: target,
      ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization.reveal() }),
    },
    signal,
  });
  if (answer.statusCode < 200 || answer.statusCode > 299) {
    answer.socket.on('error', () => undefined).destroy();
    throw tunnelRefused(target, authority(proxy), answer.statusCode);
  }
  return asSocket(answer.socket, proxy);
}

function asSocket(stream: Duplex, proxy: HttpProxy): Socket {
  if (stream instanceof Socket) return stream;
  throw networkFailed({ host: proxy.host, port: proxy.port, code: 'UND_ERR_SOCKET' });
}

function authority({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
