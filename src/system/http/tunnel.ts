import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkFailed, tunnelRefused } from '../../errors/network.js';
import { ConnectError } from './network-cause.js';
import type { Place } from './place.js';
import type { HttpProxy } from './proxy-settings.js';

const hungUp = Object.assign(new Error('the proxy has hung up'), { code: 'UND_ERR_SOCKET' });

/**
 * Asks the proxy at the other end of `socket` for a tunnel to the place (CONNECT, RFC 9110 section
 * 9.3.6) and returns the connection to be used as if it led there.
 * @throws Failure `network_failed`; the error of undici
 */
export async function openTunnel(
  socket: Socket,
  place: Place & { readonly proxy: HttpProxy },
  signal: AbortSignal,
): Promise<Socket> {
  const { Client } = await import('undici');
  const { proxy } = place;
  const target = authority(place);
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
