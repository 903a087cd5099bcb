import type { Socket } from 'node:net';
import { type ConnectorOptions, connectTo } from '../http/connector.js';
import { headerRefused, networkFailed, requestInterrupted, tooLarge } from '../http/failures.js';
import { brokenConnection, isBrokenOff } from '../http/network-cause.js';
import type { Place } from '../http/origin.js';
import type { LaneHome, PooledLane } from '../http/pool.js';
import { type AnswerTaker, type LaneRequest, RequestHeads } from './exchange-parts.js';
import { ReadBuffer } from './read-buffer.js';
import type { AnswerHead } from './response-head.js';
import { type AnswerProblem, AnswerReader, type AnswerSink } from './response-reader.js';
import { type SendingEnd, type SentBody, writeRequest } from './sent-body.js';

/**
 * One connection of a place, which carries one request at a time and is kept alive between them. It goes home by itself
 * when a request is over, in whatever way. Whoever is not, or no longer, served by it cannot touch it.
 */
export class Lane implements PooledLane, AnswerSink, SendingEnd {
  readonly #place: Place;
  readonly #heads: RequestHeads;
  readonly #options: ConnectorOptions;
  readonly #home: LaneHome<Lane>;
  readonly #reader: AnswerReader;
  readonly #buffer = new ReadBuffer((bytes) => this.#read(bytes));
  readonly #closing = new AbortController();
  #socket: Socket | undefined;
  #taker: AnswerTaker | undefined;
  #body: SentBody | undefined;
  #paused = false;
  #reading = false;
  #requests = 0;
  #usableUntil = 0;

  constructor(place: Place, options: ConnectorOptions, home: LaneHome<Lane>) {
    this.#place = place;
    this.#reader = new AnswerReader(this, place.secure);
    this.#heads = new RequestHeads(new URL(place.origin).host);
    this.#options = options;
    this.#home = home;
  }

  get usable(): boolean {
    return this.#socket?.destroyed === false && performance.now() < this.#usableUntil;
  }

  /** Sends a request; to be called by whom the lane was lent to, once. A body of bytes is left alone until it is over. */
  send(request: LaneRequest, taker: AnswerTaker): void {
    this.#taker = taker;
    this.#requests += 1;
    this.#paused = false;
    if (this.#socket === undefined) void this.#connect(request, taker);
    else this.#write(this.#socket, request);
  }

  pause(taker: AnswerTaker): void {
    if (this.#taker !== taker || this.#paused) return;
    this.#paused = true;
    if (!this.#reading) this.#socket?.pause();
  }

  resume(taker: AnswerTaker): void {
    if (this.#taker !== taker || !this.#paused) return;
    this.#paused = false;
    if (!this.#reading) this.#socket?.resume();
  }

  /** The answer is a stream that may stay, so that those who wait for a lane need not wait for this one. */
  stands(taker: AnswerTaker): void {
    if (this.#taker === taker) this.#home.stands(this);
  }

  /** Ends what is under way for that one, and the connection with it; nothing is told of it any more. */
  cut(taker: AnswerTaker): void {
    if (this.#taker === taker) this.#finish(0);
  }

  /** Ends the connection at once, and with it the request that uses it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#fail(requestInterrupted(this.#place.host), false);
    this.#socket?.destroy();
  }

  answerHead(head: AnswerHead): void {
    this.#taker?.head(head);
  }

  answerData(chunk: Uint8Array): void {
    if (this.#taker?.data(chunk) === false) this.#paused = true;
  }

  answerOver(staysMs: number): void {
    const taker = this.#taker;
    // An answer that did not wait for the whole request leaves a connection that is in the middle of it.
    const isSent = this.#body === undefined && this.#socket?.writableLength === 0;
    this.#finish(isSent ? staysMs : 0);
    taker?.end();
  }

  answerBroken(problem: AnswerProblem, unanswered: boolean): void {
    const { host, port } = this.#place;
    const failure =
      problem === 'head_too_large'
        ? tooLarge(host, 'more than 16 KiB of headers')
        : networkFailed({ host, port, code: problem });
    this.#fail(failure, unanswered && problem === 'answer_cut_off' && this.#requests > 1);
  }

  bodySent(): void {
    this.#body = undefined;
  }

  bodyBroken(error: unknown, mismatch: boolean): void {
    this.#fail(mismatch ? headerRefused('content-length', 'it is not the length of the body') : error, false);
  }

  async #connect(request: LaneRequest, taker: AnswerTaker): Promise<void> {
    const place = this.#place;
    // Where nothing is between, what is read goes into our own memory; TLS has its own way.
    const isBare = !place.secure && place.proxy === undefined;
    try {
      const reading = isBare ? this.#buffer : undefined;
      const socket = await connectTo(place, this.#options, this.#closing.signal, reading);
      if (!isBare) socket.on('data', (bytes: Buffer) => this.#read(bytes));
      this.#adopt(socket);
      if (this.#taker !== taker) socket.destroy();
      else this.#write(socket, request);
    } catch (error) {
      if (this.#taker === taker) this.#home.unreachable();
      this.#fail(error, false);
    }
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    const over = (): void => {
      this.#reader.close();
      socket.destroy();
    };
    socket.on('end', over).on('error', (error) => {
      const unanswered = isBrokenOff(error) && this.#requests > 1 && this.#reader.isUntouched;
      this.#fail(brokenConnection(error, this.#place), unanswered);
    });
    socket.on('close', () => {
      over();
      this.#home.gone(this);
    });
    if (this.#paused) socket.pause();
  }

  #write(socket: Socket, request: LaneRequest): void {
    const { body } = request;
    const text = this.#heads.textOf(request, body === null ? null : body.length);
    if (text === undefined) {
      queueMicrotask(() => this.#fail(new TypeError('These are no parts of one request.'), false));
      return;
    }
    this.#reader.begin(request.method);
    this.#body = writeRequest(socket, text, body, this);
    this.#body?.start();
  }

  /** False: nothing more is to be read for now. */
  #read(bytes: Buffer): boolean {
    if (this.#taker === undefined) {
      this.#socket?.destroy(); // nobody has asked for these
      return false;
    }
    this.#reading = true;
    this.#reader.push(bytes);
    this.#reading = false;
    this.#buffer.expect(this.#reader.left);
    if (this.#paused) this.#socket?.pause();
    return !this.#paused;
  }

  #fail(error: unknown, unanswered: boolean): void {
    const taker = this.#taker;
    this.#finish(0);
    taker?.failed(error, unanswered);
  }

  /** @param staysMs 0: the connection is closed */
  #finish(staysMs: number): void {
    if (this.#taker === undefined) return;
    this.#taker = undefined;
    this.#reader.stop();
    this.#body?.stop();
    this.#body = undefined;
    this.#usableUntil = staysMs === 0 ? 0 : performance.now() + staysMs;
    if (staysMs === 0) {
      this.#closing.abort();
      this.#socket?.destroy();
    } else if (this.#paused) {
      // Whoever has said no to more still holds what was read last.
      this.#paused = false;
      this.#buffer.giveAway();
    }
    this.#home.release(this);
  }
}
