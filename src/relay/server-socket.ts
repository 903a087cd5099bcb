import type { Socket } from 'node:net';
import { serverLimits } from './limits.js';
import { ReadBuffer, readInto } from './read-buffer.js';

/** What is told of a caller's socket. */
export interface SocketWatcher {
  /** The memory of a piece is used again once this has returned, or, where it has paused the socket, once that goes on. */
  data(piece: Buffer): void;
  /** The caller sends no more. */
  ended(): void;
  /** What was written is read. */
  drained(): void;
  closed(): void;
}

/** A caller's socket: what is written to it, and how it is ended without what was said last being lost. */
export class ServerSocket {
  readonly #socket: Socket;
  readonly #buffer: ReadBuffer;
  readonly #flushed: () => void;
  /** Is there somebody to be told when all is written? */
  #waiting = false;
  #closing = false;
  /** Since when it is closing, or has nothing more to write: as `performance.now()`. */
  #since = 0;
  #written = false;
  #dropped = 0;
  #paused = false;
  #resting = false;

  constructor(socket: Socket, watcher: SocketWatcher) {
    this.#socket = socket;
    const read = (piece: Buffer): boolean => {
      if (this.#closing) this.#drop(piece);
      else watcher.data(piece);
      return true;
    };
    this.#buffer = new ReadBuffer(read);
    if (!readInto(socket, this.#buffer)) socket.on('data', read);
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

  /** Has nothing more been taken, and will nothing more be sent? */
  get closing(): boolean {
    return this.#closing;
  }

  /** Is something written that the caller has not taken? `drained` comes when it has. */
  get behind(): boolean {
    return this.#waiting;
  }

  /** Is so much unread that nothing more should be begun? */
  get clogged(): boolean {
    return this.#socket.writableLength > serverLimits.unread;
  }

  /**
   * Text, one character a byte, and what follows it. False: `drained` comes when they are written; until then the piece
   * is to be left alone.
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

  /** So many bytes are known to come. */
  expect(count: number): void {
    this.#buffer.expect(count);
  }

  /** What is read just now stays as it is: somebody still needs it. */
  giveAway(): void {
    this.#buffer.giveAway();
  }

  pause(): void {
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#paused = false;
    if (!this.#resting) this.#socket.resume();
  }

  /** Reads on in the next turn of the event loop: a socket that has much to read is read many times in one. */
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
   * Ends our side after these words, and reads on for a while: who is answered in the middle of sending shall get to
   * read the response (RFC 9112 section 9.6).
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

  /** Looks whether a closing one takes too long. @param now as `performance.now()` */
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
