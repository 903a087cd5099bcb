import type { OnReadOpts, Socket } from 'node:net';

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
