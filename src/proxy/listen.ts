import { chmodSync, lstatSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { type AddressInfo, connect, type Server } from 'node:net';
import { dirname, isAbsolute, resolve } from 'node:path';
import { proxyPortRefused, proxySocketRefused } from './failures.js';
import type { ProxyOptions } from './ports.js';

/** Where a server listens. */
interface Listening {
  readonly origin: string;
  /** What `Host` may be there. */
  readonly authorities: ReadonlySet<string>;
}

/** Longest path of a Unix socket that every system takes, in bytes. */
const maxPath = 103;

/**
 * Binds a server to 127.0.0.1 and nothing else, or to a Unix socket that is its owner's alone, in a folder that is.
 * @throws Failure `proxy_port_in_use`, `proxy_port_refused`, `proxy_socket_refused`
 */
export async function listen(server: Server, where: ProxyOptions['listen']): Promise<Listening> {
  if ('port' in where) {
    await bound(
      server,
      () => server.listen({ host: '127.0.0.1', port: where.port, exclusive: true }),
      (error) => proxyPortRefused(where.port, error.code ?? 'unknown', error),
    );
    const { port } = server.address() as AddressInfo;
    return { origin: `http://127.0.0.1:${port}`, authorities: new Set([`127.0.0.1:${port}`, `localhost:${port}`]) };
  }
  await makeRoom(where.socket);
  await bound(
    server,
    () => listenClosed(server, where.socket),
    (error) => proxySocketRefused(where.socket, `the system does not allow it (${error.code})`, otherPath, error),
  );
  chmodSync(where.socket, 0o600);
  return { origin: 'http://localhost', authorities: new Set(['localhost']) };
}

const otherPath = 'Choose another path, in a folder of your own such as $XDG_RUNTIME_DIR.';

/** The mode is set when the socket is made: no other user can open it, even for a moment. */
function listenClosed(server: Server, path: string): void {
  const mask = process.umask(0o177);
  try {
    server.listen({ path });
  } finally {
    process.umask(mask);
  }
}

async function bound(
  server: Server,
  begin: () => void,
  failure: (error: NodeJS.ErrnoException) => Error,
): Promise<void> {
  await new Promise<void>((done, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(failure(error)));
    server.once('listening', done);
    begin();
  });
  // From here on only accepting can fail (too many open files): that one connection is lost, the rest is not.
  server.removeAllListeners('error').on('error', () => undefined);
}

/** Removes a socket that no process listens on any more, and nothing else. */
async function makeRoom(path: string): Promise<void> {
  const refuse = (why: string, remedy = otherPath) => proxySocketRefused(path, why, remedy);
  if (process.platform === 'win32') throw refuse('Node.js has no Unix sockets on Windows', 'Use a port: --port');
  if (!isAbsolute(path) || Buffer.byteLength(path) > maxPath) {
    throw refuse(`it is not an absolute path of at most ${maxPath} bytes`);
  }
  const folder = statOf(() => statSync(dirname(resolve(path))));
  if (folder?.isDirectory() !== true) throw refuse('its folder does not exist');
  const isOurs = folder.uid === process.getuid?.() && (folder.mode & 0o022) === 0;
  if (!isOurs) {
    throw refuse('others may write to its folder', 'Choose a folder that only you may write to (chmod go-w).');
  }
  const there = statOf(() => lstatSync(path));
  if (there === undefined) return;
  if (!there.isSocket()) throw refuse('something else is there');
  if (await isListenedOn(path)) throw refuse('another process listens there', 'End it, or choose another path.');
  unlinkSync(path);
}

function statOf(look: () => Stats): Stats | undefined {
  try {
    const found = look();
    return found;
  } catch {
    return undefined;
  }
}

function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path }).unref();
    probe
      .once('error', () => resolve(false))
      .once('connect', () => {
        probe.destroy();
        resolve(true);
      });
  });
}
