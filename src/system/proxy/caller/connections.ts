import type { Socket } from 'node:net';
import { proxyLimits } from '../limits.js';
import { CallerConnection, type CallerServer } from './connection.js';

/** All connections of callers, of which there are so many at most. */
export class CallerConnections {
  readonly #open = new Set<CallerConnection>();
  /** Runs while there are connections: an idle proxy wakes nobody. */
  #looker: NodeJS.Timeout | undefined;
  #now = 0;

  /** As `performance.now()`, but for the time since the last look. */
  get now(): number {
    return this.#now;
  }

  /**
   * Takes a connection. Where there are too many, the one that has been idle longest gives way, so that a crowd of
   * silent ones keeps nobody out; where none is idle, the newcomer does.
   */
  add(socket: Socket, server: CallerServer): void {
    if (this.#open.size >= proxyLimits.sockets) {
      const idle = this.#longestIdle();
      (idle?.socket ?? socket).destroy();
      if (idle === undefined) return;
      this.#open.delete(idle);
    }
    if (this.#looker === undefined) {
      this.#now = performance.now();
      this.#looker = setInterval(() => this.#look(), proxyLimits.lookMs).unref();
    }
    const connection = new CallerConnection(socket, server);
    this.#open.add(connection);
    socket.once('close', () => this.#open.delete(connection));
  }

  /** Ends those that no request is under way on. */
  endIdle(): void {
    for (const connection of this.#open) if (connection.idle) connection.socket.close();
  }

  /** Ends all at once, and looks no more. */
  end(): void {
    clearInterval(this.#looker);
    for (const connection of this.#open) connection.socket.destroy();
  }

  #longestIdle(): CallerConnection | undefined {
    let found: CallerConnection | undefined;
    for (const connection of this.#open) {
      if (connection.idle && !(found !== undefined && found.since <= connection.since)) found = connection;
    }
    return found;
  }

  #look(): void {
    const before = this.#now;
    this.#now = performance.now();
    // Where this process was stopped meanwhile, what has come is still unread: who is late is seen next time.
    const isOnTime = this.#now - before < 5 * proxyLimits.lookMs;
    if (isOnTime) for (const connection of this.#open) connection.look(this.#now);
    if (this.#open.size > 0) return;
    clearInterval(this.#looker);
    this.#looker = undefined;
  }
}
