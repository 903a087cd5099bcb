import { connect, type Socket } from 'node:net';

/** Firefox' own remote control: a command, and what came of it. */
export type Marionette = (command: string, parameters: object) => Promise<Record<string, object>>;

/** Firefox said no: say, there is no such element on the page. */
export class CommandRefused extends Error {}

/** `[type, id, error, result]` */
type Response = readonly [1, number, object | null, Record<string, object>];

/**
 * `<length>:<JSON>` each way over TCP. Firefox greets first; while it has a session, it closes other connections without a
 * word. The signal ends the connection, and with it the session.
 */
export async function marionette(port: number, signal: AbortSignal): Promise<Marionette> {
  const socket = connect({ port, host: '127.0.0.1', signal });
  const waiting = new Map<number, { resolve(response: Response): void; reject(error: Error): void }>();
  let lost: Error | undefined;
  const responseTo = (id: number) =>
    new Promise<Response>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      if (lost) reject(lost);
    });
  // The greeting has no number, and nothing else comes before it.
  const greeting = responseTo(0);
  eachMessage(socket, (message) => waiting.get(Array.isArray(message) ? message[1] : 0)?.resolve(message as Response));
  socket
    .on('error', () => undefined)
    .on('close', () => {
      lost = new Error('Firefox closed the connection');
      for (const each of waiting.values()) each.reject(lost);
    });
  await greeting;
  let latest = 0;
  return async (command, parameters) => {
    latest += 1;
    const response = responseTo(latest);
    const text = JSON.stringify([0, latest, command, parameters]);
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , error, result] = await response;
    if (error !== null) throw new CommandRefused(JSON.stringify(error));
    return result;
  };
}

function eachMessage(socket: Socket, take: (message: unknown) => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.toString('latin1', 0, colon));
      if (colon === -1 || received.length < end) return;
      const message: unknown = JSON.parse(received.toString('utf8', colon + 1, end));
      received = received.subarray(end);
      take(message);
    }
  });
}
