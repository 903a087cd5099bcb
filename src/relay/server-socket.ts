import type { Socket } from 'node:net';
import { serverLimits } from './limits.js';

/** Called for events of a caller's socket. */
export interface SocketWatcher {
  data(piece: Buffer): void;
  /** The caller sends no more. */
  ended(): void;
  /** The caller has read what was written. */
  drained(): void;
  closed(): void;
}

/** A caller's socket: writes, and ends without losing what was written last. */
export class ServerSocket {
  readonly #socket: Socket;
  readonly #flushed: () => void;
  /** `drained` is still to be called. */
  #waiting = false;
  #closing = false;
  /** When it began to close, or had written everything: as `performance.now()`. */
  #since = 0;
  #written = false;
  #dropped = 0;
  #paused = false;
  #resting = false;

  constructor(socket: Socket, watcher: SocketWatcher) {
    this.#socket = socket;
    socket.on('data', (piece: Buffer) => {
      if (this.#closing) this.#drop(piece);
      else watcher.data(piece);
    });
    socket.on('end', () => {
      if (this.#closing) socket.end();
      else watcher.ended();
    });
    this.#flushed = () => {
      if (!this.#waiting || socket.writableLength > 0) return;
      this.#waiting = false;
      watcher.drained();
    };
    socket.on('drain', this.#flushed);
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => watcher.closed());
  }

  /** Nothing more is taken or sent. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Something is written that the caller has not taken; `drained` follows. */
  get behind(): boolean {
    return this.#waiting;
  }

  /** So much is unread that no other request should begin. */
  get clogged(): boolean {
    return this.#socket.writableLength > serverLimits.unread;
  }

  /**
   * Writes text, one character a byte, and a piece behind it. False: the piece must be left alone until `drained`.
   */
  write(text: string, piece?: Uint8Array): boolean {
    if (this.#closing) return true;
    const socket = this.#socket;
    if (piece === undefined) {
      // Text behind a piece that waits may be the last to leave, without a `drain` of its own.
      const full = !socket.write(text, 'latin1', this.#waiting ? this.#flushed : undefined);
      this.#waiting ||= full;
      return !this.#waiting;
    }
    socket.cork();
    if (text !== '') socket.write(text, 'latin1');
    socket.write(piece, this.#flushed);
    socket.uncork();
    this.#waiting = socket.writableLength > 0;
    return !this.#waiting;
  }

  pause(): void {
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#paused = false;
    if (!this.#resting) this.#socket.resume();
  }

  /** Reads on in the next turn of the event loop: a busy socket is read many times in one. */
  rest(): void {
    if (this.#resting) return;
    this.#resting = true;
    this.#socket.pause();
    setImmediate(() => {
      this.#resting = false;
      if (!this.#paused) this.#socket.resume();
    });
  }

  /**
   * Ends our side after this text, and reads on for a while: a caller who is still sending gets to read the response
   * (RFC 9112 section 9.6).
   */
  close(last = ''): void {
    if (this.#closing) return;
    if (last !== '') this.#socket.write(last, 'latin1');
    this.#closing = true;
    this.#since = performance.now();
    this.#socket.end();
    this.resume();
  }

  destroy(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  /** Cuts off a connection that closes too slowly. @param now as `performance.now()` */
  look(now: number): void {
    if (!this.#closing) return;
    if (this.#socket.writableFinished && !this.#written) {
      this.#written = true;
      this.#since = now;
    }
    const limit = this.#written ? serverLimits.lingeringMs : serverLimits.unreadMs;
    if (now - this.#since > limit) this.#socket.destroy();
  }

  #drop(piece: Buffer): void {
    this.#dropped += piece.length;
    if (this.#dropped > serverLimits.lingering) this.pause();
  }
}
