import type { Socket } from 'node:net';
import type { ResponseHead } from './heads.js';
import { type OutgoingRequest, RequestHeads, type SendingEnd, type SentBody, writeRequest } from './request-writer.js';
import { type ProveEnd, type ResponseProblem, ResponseReader, type ResponseSink } from './response-reader.js';

/** Why a connection failed; its opener words the failure. */
export type Trouble = ResponseProblem | 'length_mismatch' | 'interrupted';

/** Where a connection leads: the one who opens it looks up addresses, speaks TLS and words failures. */
export interface Upstream {
  /** Value of `Host`. */
  readonly authority: string;
  readonly proveEnd: ProveEnd;
  connect(signal: AbortSignal): Promise<Socket>;
  failure(trouble: Trouble): unknown;
  /** The failure for an error of the socket. */
  broken(error: unknown): unknown;
  /** Whether the other side may simply have closed an idle connection. */
  isBrokenOff(error: unknown): boolean;
}

/** Owns a connection between requests. */
export interface ConnectionOwner {
  /** The request that it was lent for is over; a connection that is not usable any more is closed. Again: nothing. */
  release(connection: Connection): void;
  /** The response is a stream that may stay: others need not wait for its end. */
  streaming(connection: Connection): void;
  /** No connection came about. */
  unreachable(): void;
  gone(connection: Connection): void;
}

/** Called for one response as it comes; not after `end` or `failed`. */
export interface ResponseHandler {
  /** The head is the same object as before where its text was the same on the same connection. */
  head(head: ResponseHead): void;
  /** False asks for no more until `resume` is called; what has been read already may still come. */
  data(chunk: Uint8Array): boolean;
  end(): void;
  /** `unanswered`: the connection, an old one, ended before any byte of a response. */
  failed(error: unknown, unanswered: boolean): void;
}

/** How much of an unwanted response is read and dropped to save its connection, and for how long. */
const drainedBytes = 65_536;
const drainedMs = 2_000;

/**
 * One connection to a server, which carries one request at a time and is kept alive between them. It returns to its owner
 * when a request is over, in whatever way. Calls from a request that has ended are ignored.
 */
export class Connection implements AsyncDisposable, ResponseSink, SendingEnd {
  readonly #upstream: Upstream;
  readonly #heads: RequestHeads;
  readonly #owner: ConnectionOwner;
  readonly #reader: ResponseReader;
  readonly #closing = new AbortController();
  #socket: Socket | undefined;
  #handler: ResponseHandler | undefined;
  #body: SentBody | undefined;
  #paused = false;
  #reading = false;
  #requests = 0;
  #usableUntil = 0;

  constructor(upstream: Upstream, owner: ConnectionOwner) {
    this.#upstream = upstream;
    this.#reader = new ResponseReader(this, upstream.proveEnd);
    this.#heads = new RequestHeads(upstream.authority);
    this.#owner = owner;
  }

  /** Whether the next request can go the same way without connecting anew. */
  get usable(): boolean {
    return this.#socket?.destroyed === false && performance.now() < this.#usableUntil;
  }

  /** Sends a request; called once per loan. A body of bytes may not change until the request is over. */
  send(request: OutgoingRequest, handler: ResponseHandler): void {
    this.#handler = handler;
    this.#requests += 1;
    this.#paused = false;
    if (this.#socket === undefined) void this.#connect(request, handler);
    else this.#write(this.#socket, request);
  }

  pause(handler: ResponseHandler): void {
    if (this.#handler !== handler || this.#paused) return;
    this.#paused = true;
    if (!this.#reading) this.#socket?.pause();
  }

  resume(handler: ResponseHandler): void {
    if (this.#handler !== handler || !this.#paused) return;
    this.#paused = false;
    if (!this.#reading) this.#socket?.resume();
  }

  /** The response is a stream that may stay: others who wait for a connection need not wait for this one. */
  streaming(handler: ResponseHandler): void {
    if (this.#handler === handler) this.#owner.streaming(this);
  }

  /** Ends this handler's request, and the connection with it; the handler is not called any more. */
  cut(handler: ResponseHandler): void {
    if (this.#handler === handler) this.#finish(0);
  }

  /**
   * The rest of the response is unwanted: a short one is read and dropped, a longer or later one cut off with the
   * connection. So is one whose request is still being sent.
   */
  abandon(handler: ResponseHandler): void {
    if (this.#body !== undefined) this.cut(handler);
    if (this.#handler !== handler) return;
    let dropped = 0;
    const drain: ResponseHandler = {
      head: () => undefined,
      data: ({ byteLength }) => {
        dropped += byteLength;
        if (dropped > drainedBytes) this.cut(drain);
        return true;
      },
      end: () => undefined,
      failed: () => undefined,
    };
    this.#handler = drain;
    this.resume(drain);
    setTimeout(() => this.cut(drain), drainedMs).unref();
  }

  /** Ends the connection at once, and with it the request that uses it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#fail(this.#upstream.failure('interrupted'), false);
    this.#socket?.destroy();
  }

  responseHead(head: ResponseHead): void {
    this.#handler?.head(head);
  }

  responseData(chunk: Uint8Array): void {
    if (this.#handler?.data(chunk) === false) this.#paused = true;
  }

  responseOver(idleMs: number): void {
    const handler = this.#handler;
    // A response that did not wait for the whole request leaves a connection that is in the middle of it.
    const isSent = this.#body === undefined && this.#socket?.writableLength === 0;
    this.#finish(isSent ? idleMs : 0);
    handler?.end();
  }

  responseBroken(problem: ResponseProblem, unanswered: boolean): void {
    this.#fail(this.#upstream.failure(problem), unanswered && problem === 'answer_cut_off' && this.#requests > 1);
  }

  bodySent(): void {
    this.#body = undefined;
  }

  bodyBroken(error: unknown, mismatch: boolean): void {
    this.#fail(mismatch ? this.#upstream.failure('length_mismatch') : error, false);
  }

  async #connect(request: OutgoingRequest, handler: ResponseHandler): Promise<void> {
    try {
      const socket = await this.#upstream.connect(this.#closing.signal);
      socket.on('data', (bytes: Buffer) => this.#read(bytes));
      this.#adopt(socket);
      if (this.#handler !== handler) socket.destroy();
      else this.#write(socket, request);
    } catch (error) {
      if (this.#handler === handler) this.#owner.unreachable();
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
      const isOld = this.#requests > 1 && this.#reader.isUntouched;
      this.#fail(this.#upstream.broken(error), isOld && this.#upstream.isBrokenOff(error));
    });
    socket.on('timeout', () => {
      if (this.#handler === undefined) over(); // idle for longer than the server keeps a connection
    });
    socket.on('close', () => {
      over();
      this.#owner.gone(this);
    });
    if (this.#paused) socket.pause();
  }

  #write(socket: Socket, request: OutgoingRequest): void {
    const { body } = request;
    const text = this.#heads.textOf(request);
    if (text === undefined) {
      queueMicrotask(() => this.#fail(new TypeError('These are no parts of one request.'), false));
      return;
    }
    this.#reader.begin(request.method);
    this.#body = writeRequest(socket, text, body, this);
    this.#body?.start();
  }

  #read(bytes: Buffer): void {
    if (this.#handler === undefined) return void this.#socket?.destroy(); // bytes that were not asked for
    this.#reading = true;
    this.#reader.push(bytes);
    this.#reading = false;
    if (this.#paused) this.#socket?.pause();
  }

  #fail(error: unknown, unanswered: boolean): void {
    const handler = this.#handler;
    this.#finish(0);
    handler?.failed(error, unanswered);
  }

  /** @param idleMs 0: the connection is closed */
  #finish(idleMs: number): void {
    if (this.#handler === undefined) return;
    this.#handler = undefined;
    this.#reader.stop();
    this.#body?.stop();
    this.#body = undefined;
    this.#paused = false;
    this.#usableUntil = idleMs === 0 ? 0 : performance.now() + idleMs;
    if (idleMs === 0) {
      this.#closing.abort();
      this.#socket?.destroy();
    } else if (this.#socket?.timeout !== idleMs) this.#socket?.setTimeout(idleMs);
    this.#owner.release(this);
  }
}
