import type { Socket } from 'node:net';
import { Lookout } from './active-set.js';
import type { RequestFraming } from './heads.js';
import { serverLimits } from './limits.js';
import {
  type BodyHandler,
  BodyReader,
  HeadReader,
  type IncomingRequest,
  plainRefusal,
  type UnderWay,
} from './server-request.js';
import { type ResponseConnection, ServerResponse } from './server-response.js';
import { ServerSocket, type SocketWatcher } from './server-socket.js';

/** Takes the requests of a connection. */
export interface RequestHandler {
  /** Responds at once, or returns what is called when something becomes of the caller. */
  take(connection: ServerConnection, head: IncomingRequest, response: ServerResponse): UnderWay | undefined;
  /** The time, as `performance.now()`, of the latest check. */
  readonly now: number;
  /** True once every response is the last of its connection. */
  readonly ending: boolean;
}

/** One connection of a caller: requests one after another (RFC 9112 section 9.3), pipelined ones in their turn. */
export class ServerConnection implements SocketWatcher, ResponseConnection {
  readonly socket: ServerSocket;
  readonly #server: RequestHandler;
  readonly #head = new HeadReader();
  #body: BodyReader | undefined;
  #underWay: UnderWay | undefined;
  /** In a request's body, or before a response's end. */
  #busy = false;
  #hasResponded = true;
  #last = false;
  /** Bytes that came before their turn. */
  #early: Buffer | undefined;
  #reading = false;
  #since: number;

  constructor(socket: Socket, server: RequestHandler) {
    this.#server = server;
    this.#since = server.now;
    this.socket = new ServerSocket(socket, this);
  }

  get idle(): boolean {
    return !this.#busy || this.socket.closing;
  }

  /** Since when it has been idle. */
  get since(): number {
    return this.#since;
  }

  /** All of the request has come. */
  get complete(): boolean {
    return this.#body === undefined;
  }

  /** Gives the body of the request under way to `handler`. */
  readBody(framing: RequestFraming, handler: BodyHandler): void {
    this.#body = new BodyReader(framing, handler);
  }

  /** Asks the caller for the body that it holds back (RFC 9110 section 10.1.1). */
  wantBody(): void {
    this.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
  }

  /** The handler of the body wants more. */
  goOn(): void {
    if (this.#early === undefined) this.socket.resume();
  }

  lastResponse(close: boolean): boolean {
    this.#last ||= close || this.#server.ending;
    return this.#last;
  }

  responded(text: string): void {
    this.#underWay = undefined;
    this.#hasResponded = true;
    if (this.#last || this.#server.ending) {
      this.socket.close(text);
      return;
    }
    if (text !== '') this.socket.write(text);
    this.#since = this.#server.now;
    if (this.#body === undefined) {
      this.#next();
    } else {
      this.#body.drop();
      this.goOn();
    }
  }

  /** Ends a connection whose head, or whose unwanted rest of a body, takes too long. @param now as `performance.now()` */
  look(now: number): void {
    const waited = now - this.#since;
    if (this.socket.closing) this.socket.look(now);
    else if (this.#busy) {
      if (this.#hasResponded && waited > serverLimits.bodySilenceMs) this.socket.destroy();
    } else if (this.#head.begun && waited > serverLimits.headMs) this.socket.close(plainRefusal(408));
  }

  data(piece: Buffer): void {
    if (this.#early === undefined) this.#read(piece);
    else this.#keep(Buffer.concat([this.#early, piece]));
  }

  drained(): void {
    if (this.#busy) this.#underWay?.drained();
    else this.#goOnReading();
  }

  /** The caller sends no more. As in Node.js' own server, that ends its request, too. */
  ended(): void {
    if (this.#head.begun) this.socket.close(plainRefusal(400));
    const inBody = this.#body !== undefined;
    this.closed();
    if (inBody) this.socket.destroy();
    else this.socket.close();
  }

  closed(): void {
    const underWay = this.#underWay;
    this.#underWay = undefined;
    this.#early = undefined;
    underWay?.gone();
  }

  #read(piece: Buffer): void {
    this.#reading = true;
    let rest = piece;
    while (rest.length > 0 && !this.socket.closing && this.#early === undefined) {
      if (!this.#busy && !this.socket.clogged) rest = this.#readHead(rest);
      else if (this.#body !== undefined) rest = this.#readBody(this.#body, rest);
      else this.#keep(Buffer.from(rest));
    }
    this.#reading = false;
  }

  /** Waits for its turn. A little is read in advance, so that a caller who goes away is noticed. */
  #keep(early: Buffer): void {
    this.#early = early;
    if (early.length > serverLimits.early) this.socket.pause();
  }

  #readHead(piece: Buffer): Buffer {
    if (!this.#head.begun) this.#since = this.#server.now;
    const used = this.#head.push(piece);
    const { problem, read } = this.#head;
    if (problem !== undefined) this.socket.close(plainRefusal(problem));
    else if (read !== undefined) this.#begin(read);
    return piece.subarray(used);
  }

  #begin(head: IncomingRequest): void {
    this.#busy = true;
    this.#hasResponded = false;
    const underWay = this.#server.take(this, head, new ServerResponse(this, head.method));
    if (!this.#hasResponded) this.#underWay = underWay;
  }

  #readBody(body: BodyReader, piece: Buffer): Buffer {
    if (this.#hasResponded) this.#since = this.#server.now;
    const progress = body.push(piece);
    if (progress === undefined) {
      const underWay = this.#underWay;
      if (underWay === undefined) this.socket.destroy();
      else underWay.broken();
      return nothing;
    }
    if (progress.ended) {
      this.#body = undefined;
      body.end();
      if (this.#hasResponded) this.#next();
    } else if (!progress.goOn) this.socket.pause();
    if (body.parts > serverLimits.partsInTurn) this.socket.rest();
    return piece.subarray(progress.used);
  }

  /** The request is over, and its response: the next one's turn. */
  #next(): void {
    this.#busy = false;
    this.#goOnReading();
  }

  #goOnReading(): void {
    const early = this.#early;
    if (early === undefined || this.#reading) return;
    this.#early = undefined;
    this.socket.resume();
    this.#read(early);
  }
}

const nothing = Buffer.alloc(0);

/** All connections of callers, at most `serverLimits.sockets`. */
export class ServerConnections {
  readonly #open = new Set<ServerConnection>();
  readonly #lookout = new Lookout(serverLimits.lookMs, (now, isOnTime) => {
    if (isOnTime) for (const connection of this.#open) connection.look(now);
    return this.#open.size > 0;
  });

  /** As `performance.now()`, but for the time since the last look. */
  get now(): number {
    return this.#lookout.now;
  }

  /**
   * Takes a connection. Where there are too many, the one that has been idle longest gives way, so that silent ones keep
   * nobody out; where none is idle, the newcomer does.
   */
  add(socket: Socket, server: RequestHandler): void {
    if (this.#open.size >= serverLimits.sockets) {
      const idle = this.#longestIdle();
      (idle?.socket ?? socket).destroy();
      if (idle === undefined) return;
      this.#open.delete(idle);
    }
    this.#lookout.start();
    const connection = new ServerConnection(socket, server);
    this.#open.add(connection);
    socket.once('close', () => this.#open.delete(connection));
  }

  /** Ends those without a request under way. */
  endIdle(): void {
    for (const connection of this.#open) if (connection.idle) connection.socket.close();
  }

  /** Ends all at once. */
  end(): void {
    this.#lookout.stop();
    for (const connection of this.#open) connection.socket.destroy();
  }

  #longestIdle(): ServerConnection | undefined {
    let found: ServerConnection | undefined;
    for (const connection of this.#open) {
      if (connection.idle && connection.since < (found?.since ?? Number.POSITIVE_INFINITY)) found = connection;
    }
    return found;
  }
}
