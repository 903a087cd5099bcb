import type { Socket } from 'node:net';
import { proxyLimits } from './limits.js';
import {
  BodyReader,
  type BodyTaker,
  type Framing,
  HeadReader,
  type IncomingHead,
  plainRefusal,
  type UnderWay,
} from './server-request.js';
import { Answer } from './server-response.js';
import { CallerSocket, type SocketWatcher } from './server-socket.js';

/** What a connection's requests are given to. */
export interface CallerServer {
  /** Answers at once, or returns who is told what becomes of the caller. */
  take(connection: CallerConnection, head: IncomingHead, answer: Answer): UnderWay | undefined;
  /** The time, as `performance.now()`, looked at every second or so. */
  readonly now: number;
  /** True once every answer is the last of its connection. */
  readonly ending: boolean;
}

/** One connection of a caller: requests one after another (RFC 9112 section 9.3), pipelined ones in their turn. */
export class CallerConnection implements SocketWatcher {
  readonly socket: CallerSocket;
  readonly #server: CallerServer;
  readonly #head = new HeadReader();
  #body: BodyReader | undefined;
  #underWay: UnderWay | undefined;
  /** Is it in a request's body, or before an answer's end? */
  #busy = false;
  #answered = true;
  #last = false;
  /** What came before its turn. */
  #early: Buffer | undefined;
  #reading = false;
  #since: number;

  constructor(socket: Socket, server: CallerServer) {
    this.#server = server;
    this.#since = server.now;
    this.socket = new CallerSocket(socket, this);
  }

  get idle(): boolean {
    return !this.#busy || this.socket.closing;
  }

  /** Since when it has been idle. */
  get since(): number {
    return this.#since;
  }

  /** Has all of the request come? */
  get complete(): boolean {
    return this.#body === undefined;
  }

  /** Gives the body of the request under way to `taker`. */
  readBody(framing: Framing, taker: BodyTaker): void {
    this.#body = new BodyReader(framing, taker);
  }

  /** The taker of the body wants more. */
  goOn(): void {
    if (this.#early === undefined) this.socket.resume();
  }

  /** Is the answer that begins the last one? */
  lastAnswer(close: boolean): boolean {
    this.#last ||= close || this.#server.ending;
    return this.#last;
  }

  /** An answer has ended with this text. */
  answered(text: string): void {
    this.#underWay = undefined;
    this.#answered = true;
    if (this.#last || this.#server.ending) {
      this.socket.close(text);
      return;
    }
    if (text !== '') this.socket.write(text);
    this.#since = this.#server.now;
    if (this.#body === undefined) {
      this.#next();
      return;
    }
    this.#body.drop();
    this.goOn();
  }

  /** Looks whether a head, or the rest of what nobody wants, takes too long. @param now as `performance.now()` */
  look(now: number): void {
    const waited = now - this.#since;
    if (this.socket.closing) this.socket.look(now);
    else if (this.#busy) {
      if (this.#answered && waited > proxyLimits.bodySilenceMs) this.socket.destroy();
    } else if (this.#head.begun && waited > proxyLimits.headMs) this.socket.close(plainRefusal(408));
  }

  data(piece: Buffer): void {
    if (this.#early === undefined) this.#read(piece);
    else this.#keep(Buffer.concat([this.#early, piece]));
  }

  drained(): void {
    if (this.#busy) this.#underWay?.drained();
    else this.#goOnReading();
  }

  /** The caller sends no more. As in Node.js' own server, that ends what is under way, too: it has gone, or will have. */
  ended(): void {
    if (!this.#busy && this.#head.begun) this.socket.close(plainRefusal(400));
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

  /** Not before its turn. A little is read in advance, so that it is seen when a caller who has sent it goes away. */
  #keep(early: Buffer): void {
    this.#early = early;
    if (early.length > proxyLimits.early) this.socket.pause();
  }

  #readHead(piece: Buffer): Buffer {
    if (!this.#head.begun) this.#since = this.#server.now;
    const used = this.#head.push(piece);
    const { problem, read } = this.#head;
    if (problem !== undefined) this.socket.close(plainRefusal(problem));
    else if (read !== undefined) this.#begin(read);
    return piece.subarray(used);
  }

  #begin(head: IncomingHead): void {
    this.#busy = true;
    this.#answered = false;
    const underWay = this.#server.take(this, head, new Answer(this, head.method));
    if (!this.#answered) this.#underWay = underWay;
  }

  #readBody(body: BodyReader, piece: Buffer): Buffer {
    if (this.#answered) this.#since = this.#server.now;
    const progress = body.push(piece);
    if (progress === undefined) {
      const underWay = this.#underWay;
      if (underWay === undefined) this.socket.destroy();
      else underWay.broken();
      return nothing;
    }
    if (progress.ended) {
      // The connection goes on to the next request, and the end of this one may not have been sent yet.
      if (!progress.goOn) this.socket.giveAway();
      this.#body = undefined;
      body.end();
      if (this.#answered) this.#next();
    } else if (!progress.goOn) this.socket.pause();
    if (body.parts > proxyLimits.partsInTurn) this.socket.rest();
    this.socket.expect(progress.ended ? 0 : body.expected);
    return piece.subarray(progress.used);
  }

  /** The request is over, and its answer: the next one's turn. */
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
