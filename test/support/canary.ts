import { createServer, type Server } from 'node:net';

/** One connection that arrived where none, or only known ones, should. */
export interface Visit {
  /** `127.0.0.1:34567`, `[::1]:34567` or `127.0.0.2:34567`. */
  readonly at: string;
  /** Every byte that came, one character each. */
  readonly bytes: string;
}

/** Listeners that answer nothing and record every connection and every byte. */
export interface Canaries extends AsyncDisposable {
  /** Ports by address, to put into URLs that must never be asked. */
  readonly ports: Readonly<Record<CanaryAddress, number>>;
  readonly visits: readonly Visit[];
}

export type CanaryAddress = '127.0.0.1' | '127.0.0.2' | '::1';

/** Listens on three loopback addresses, each on a free port of its own. */
export async function startCanaries(): Promise<Canaries> {
  const visits: Visit[] = [];
  const [v4, other, v6] = await Promise.all([
    canary('127.0.0.1', visits),
    canary('127.0.0.2', visits),
    canary('::1', visits),
  ]);
  return {
    ports: { '127.0.0.1': v4.port, '127.0.0.2': other.port, '::1': v6.port },
    visits,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([v4.close(), other.close(), v6.close()]);
    },
  };
}

async function canary(address: CanaryAddress, visits: Visit[]) {
  const sockets = new Set<{ destroy(): void }>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    const index = visits.length;
    const at = `${address === '::1' ? '[::1]' : address}:${socket.localPort}`;
    visits.push({ at, bytes: '' });
    socket.setEncoding('latin1').on('data', (bytes: string) => {
      visits[index] = { at, bytes: `${visits[index]?.bytes ?? ''}${bytes}` };
    });
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, address, resolve);
  });
  const bound = server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  return { port, close };
}
