import { once } from 'node:events';
import { createServer } from 'node:net';

/** Opens a port on loopback, as a login does for its callback, and closes it. The port that it was. @throws the system's error */
export async function canListen(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
