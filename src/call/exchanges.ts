import { Failure, isFailure } from '../core/failure.js';
import { interrupted, interruptedUnderWay } from '../core/output-failures.js';
import type { Clock } from '../core/ports.js';
import { asObject, type JsonObject, stringField } from '../core/text/json.js';
import { within } from '../core/time.js';
import type { MessageClient } from '../mcp/client.js';
import type { Outcome } from '../mcp/exchange.js';
import { protocolBroken, resultMissing, statusFailed } from '../mcp/failures.js';
import type { Incoming, MessageHost } from '../mcp/host.js';
import { type Message, parseMessages } from '../mcp/messages.js';
import { mayBeCarriedOut, type Pending, PendingRequests } from '../mcp/pending.js';
import type { StreamEnd } from '../mcp/streams.js';
import { serverWords } from '../tokens/server-words.js';
import { callRefused, messageTooCostly } from './failures.js';
import { bytesOf, keyOf, rawResults, shapeOf, textOf } from './message-forms.js';

/** How long the end of a session may take. */
const goodbyeMs = 5_000;

/** How long the server may take to hear, at the end, that nobody waits any more. A second Ctrl-C waits for nothing. */
const cancelMs = 1_000;

const initialize = 'initialize';

/** What a conversation gives the client that carries it. */
export interface ConversationParts {
  readonly host: MessageHost;
  readonly pending: PendingRequests;
  /** Whether what the server says unasked is wanted. */
  readonly listens: boolean;
  readonly signal: AbortSignal;
}

export type ServerRequest = Extract<Message, { readonly kind: 'request' }>;

export interface ExchangesOptions {
  /** What the server is called in failures. */
  readonly server: string;
  /** The client of the server's transport. */
  readonly connect: (parts: ConversationParts) => MessageClient;
  readonly clock: Clock;
  readonly listens: boolean;
  /** Takes notifications. What it returns is awaited before more is read. */
  readonly notify: (method: string, params: JsonObject) => unknown;
  /** The response to a request of the server. @param asked Aborts when a request under way is cancelled. */
  readonly respond: (request: ServerRequest, asked: readonly AbortSignal[]) => Promise<JsonObject>;
  /** What takes each result as the server spelled it, with the method that it is of; undefined where it is not wanted. */
  readonly raw?: (() => ((method: string, spelled: Uint8Array, result: JsonObject) => unknown) | undefined) | undefined;
  readonly signal: AbortSignal;
}

/** Which era a request is of, and what ends it alone. */
export interface SentAs {
  readonly isModern: boolean;
  readonly cancelled: AbortSignal | undefined;
}

interface Parsed extends Incoming {
  readonly parsed: readonly Received[];
}

/** A message, and the request that it came for. */
interface Received {
  readonly message: Message;
  readonly key: string | undefined;
  readonly raw?: Uint8Array | undefined;
}

/** A request under way. */
interface Asked {
  readonly id: number;
  readonly method: string;
  readonly pending: Pending;
  readonly signal: AbortSignal;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

/** The messages of one conversation: this process is the protocol client's host. */
export class Exchanges implements MessageHost, AsyncDisposable {
  readonly keepsTexts = false;
  readonly #options: ExchangesOptions;
  readonly #client: MessageClient;
  readonly #pending = new PendingRequests();
  readonly #ending = new AbortController();
  /** Messages that have not been handled. */
  #received: Received[] = [];
  #isBusy = false;
  #waiting: (() => void)[] = [];
  #nextId = 1;
  #stopped: Promise<void> | undefined;
  /** Settles once the server has heard of each request that was cancelled. */
  #notices: Promise<unknown> = Promise.resolve();
  /** By their keys. */
  readonly #asked = new Map<string, Asked>();

  constructor(options: ExchangesOptions) {
    this.#options = options;
    const { signal, connect, listens } = options;
    const ending = AbortSignal.any([signal, this.#ending.signal]);
    this.#client = connect({ host: this, pending: this.#pending, listens, signal: ending });
    const stop = () => {
      this.#stopped = this.#stop(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  }

  /** Resolves once nothing comes unasked any more. */
  get over(): Promise<StreamEnd> {
    return this.#client.over;
  }

  /** Resolves once what the server says unasked can come, or never will. */
  get listening(): Promise<void> {
    return this.#client.listening;
  }

  /**
   * Sends one request. Several may be under way.
   * @param as.cancelled Ends this request alone: the server is told, and may have done it all the same.
   * @throws Failure `call_failed`, `http_failed`, `protocol_broken`, the client's, or the signal's reason
   */
  async request(method: string, params: JsonObject, { isModern, cancelled }: SentAs): Promise<JsonObject> {
    const { signal: whole } = this.#options;
    const signal = cancelled === undefined ? whole : AbortSignal.any([whole, cancelled]);
    const id = this.#nextId++;
    const meta = { ...asObject(params['_meta']), ...(method === initialize ? {} : { progressToken: id }) };
    const message = {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, ...(method !== initialize && { _meta: meta }) },
    };
    const key = String(id);
    const pending = this.#pending.add({ id: key, idBytes: bytesOf(key), method, isModern });
    if (pending === undefined) throw new Error('each request has an id of its own');
    signal.throwIfAborted();
    const stop = () => this.#asked.get(key)?.reject(endedBy(signal.reason, pending));
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        this.#asked.set(key, { id, method, pending, signal, resolve, reject });
        void this.#send(message, pending, reject);
      });
    } finally {
      signal.removeEventListener('abort', stop);
      this.#asked.delete(key);
      const isOpen = this.#pending.settle(pending);
      pending.exchange?.abort(undefined);
      const needsNotice = !isModern && method !== initialize; // else the end of its stream says it
      if (isOpen && signal.aborted && !whole.aborted && needsNotice) {
        this.#notices = Promise.all([this.#notices, this.#cancel(id)]);
      }
    }
  }

  /** Tells the server that nobody waits for that response: best effort. */
  async #cancel(requestId: number): Promise<void> {
    const params = { requestId, reason: 'cancelled by the user' };
    await this.tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => undefined);
  }

  /** The end of all: the server is told of what it may be carrying out. */
  async #stop(reason: Failure): Promise<void> {
    const asked = [...this.#asked.values()].filter((one) => mayBeCarriedOut(one.pending) && one.method !== initialize);
    const notices = asked.flatMap(({ id, pending }) => (pending.isModern ? [] : this.#cancel(id)));
    if (notices.length > 0) await within(this.#options.clock, cancelMs, Promise.all(notices)).catch(() => undefined);
    this.#client.end(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopped;
    const { clock, signal } = this.#options;
    const isHeard = await within(
      clock,
      cancelMs,
      this.#notices.then(() => true),
    );
    this.#ending.abort();
    this.#client.end(interrupted());
    if (signal.aborted || isHeard === undefined) return;
    // A server that cannot end its session will let it expire.
    const ended = this.#client.endSession(goodbyeMs).catch(() => undefined);
    await within(clock, goodbyeMs, ended);
  }

  read(text: Uint8Array, asked: Pending | undefined): Parsed | undefined {
    const raw = this.#options.raw?.() && rawResults(text); // before the text is overwritten
    const parsed = parseMessages(text);
    if (parsed === 'costly') throw messageTooCostly(this.#options.server);
    if (parsed === undefined) return undefined;
    const received = parsed.map((message, at) => ({ message, key: keyOf(message, asked), raw: raw?.[at] }));
    return { text, parsed: received, messages: received.map(({ message: { kind }, key: id }) => ({ kind, id })) };
  }

  write({ parsed }: Parsed): void {
    for (const received of parsed) this.#received.push(received);
    if (!this.#isBusy) void this.#work();
  }

  revisionIn({ parsed: [received] }: Parsed): string | undefined {
    const message = received?.message;
    return message?.kind === 'result' ? stringField(message.result, 'protocolVersion') : undefined;
  }

  get isFull(): boolean {
    return this.#isBusy;
  }

  whenDrained(then: () => void): void {
    if (this.#isBusy) this.#waiting.push(then);
    else queueMicrotask(then);
  }

  /** One after the other; meanwhile no more is read. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      while (this.#received.length > 0) {
        for (const received of this.#received.splice(0)) await this.#take(received);
      }
    } catch (error) {
      this.#received = [];
      for (const asked of this.#asked.values()) asked.reject(error);
    }
    this.#isBusy = false;
    for (const then of this.#waiting.splice(0)) then();
  }

  async #take({ message, key = '', raw }: Received): Promise<void> {
    const { notify, signal } = this.#options;
    const asked = this.#asked.get(key);
    switch (message.kind) {
      case 'result':
        if (asked && raw) this.#options.raw?.()?.(asked.method, raw, message.result);
        asked?.resolve(message.result);
        break;
      case 'error':
        asked?.reject(callRefused(asked.method, message));
        break;
      case 'notification':
        await notify(message.method, message.params);
        signal.throwIfAborted();
        break;
      case 'request':
        await this.tell(
          await this.#options.respond(
            message,
            [...this.#asked.values()].map((one) => one.signal),
          ),
        );
    }
  }

  async #send(message: JsonObject, pending: Pending, reject: (error: unknown) => void): Promise<void> {
    try {
      const outcome = await this.#client.request(textOf(message), shapeOf(message), pending);
      if (outcome !== undefined) throw noResponse(this.#options.server, pending, outcome);
    } catch (error) {
      if (this.#isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      reject(error);
    }
  }

  /** Sends a notification, or our response. @throws Failure `http_failed`, the client's */
  async tell(message: JsonObject): Promise<void> {
    const refused = await this.#client.tell(textOf(message), shapeOf(message));
    if (refused !== undefined) throw statusFailed(this.#options.server, refused, serverWords(refused));
  }
}

/** Says of a tool that a person cancels that it may have run, once the server was sent the call. */
function endedBy(reason: unknown, pending: Pending): unknown {
  const mayHaveRun = pending.method === 'tools/call' && mayBeCarriedOut(pending) && isFailure(reason, 'interrupted');
  return mayHaveRun ? interruptedUnderWay('run the tool') : reason;
}

function noResponse(server: string, { method, isModern }: Pending, outcome: Outcome): Failure {
  switch (outcome.kind) {
    case 'refused': {
      const [error] = isModern ? [parseMessages(new Uint8Array(outcome.body))].flat() : [];
      if (typeof error === 'object' && error.kind === 'error') {
        return callRefused(method, { ...error, status: outcome.status });
      }
      return statusFailed(server, outcome, serverWords(outcome));
    }
    case 'stream':
      if (outcome.error instanceof Failure) return outcome.error;
      return protocolBroken(server, 'its event stream ended before the answer came');
    case 'empty':
      if (outcome.status !== 200) return resultMissing(server, outcome.status);
      return protocolBroken(server, 'its answer is neither JSON nor an event stream');
    default:
      return protocolBroken(server, `it gave no answer to ${method}`);
  }
}
