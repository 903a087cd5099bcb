import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { parseAddress } from '../../primitives/ip-address.js';

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
