import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports below those that Linux and Windows give away by themselves, so that no other test gets one by chance. Each process
 * has a hundred of its own, by its number, and takes them in turn: those that run at a time have others.
 */
const first = 10_000;
const ofEach = 100;
const blocks = 220;

let taken = 0;

/** A port that was free a moment ago, at 127.0.0.1 and at ::1; who else may take it meanwhile is for the test to bear. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (process.pid % blocks) * ofEach + (taken % ofEach);
    taken += 1;
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) return port;
  }
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    await once(server.close(), 'close');
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL'; // a system without IPv6
  }
}
