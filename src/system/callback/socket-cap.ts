import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface SocketCap {
  /** Every socket that is open. */
  readonly open: ReadonlySet<Socket>;
}

/**
 * Holds a server to `most` sockets. When one more comes, the oldest that has no request under way is destroyed, so
 * that a flood of silent connections cannot keep the person's browser out; with none such, the newcomer is.
 */
export function capSockets(server: Server, most: number): SocketCap {
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  server.on('connection', (socket) => {
    if (open.size >= most) {
      const oldestIdle = [...open].find((each) => !busy.has(each));
      open.delete(oldestIdle ?? socket);
      (oldestIdle ?? socket).destroy();
      if (oldestIdle === undefined) return;
    }
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      busy.delete(socket);
    });
  });
  server.prependListener('request', (request, response) => {
    busy.add(request.socket);
    response.once('close', () => busy.delete(request.socket));
  });
  return { open };
}
