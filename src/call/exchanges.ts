import { Failure, isFailure } from '../core/failure.js';
import { interrupted, interruptedUnderWay } from '../core/failures.js';
import type { Clock } from '../core/ports.js';
import { asObject, type JsonObject, stringField } from '../core/text/json.js';
import { membersAt } from '../core/text/json-members.js';
import { within } from '../core/time.js';
import type { MessageClient } from '../mcp/client.js';
import type { Outcome } from '../mcp/exchange.js';
import { protocolBroken, resultMissing, statusFailed } from '../mcp/failures.js';
import type { Incoming, MessageHost } from '../mcp/inbound.js';
import { type Message, messageOf, parseMessages } from '../mcp/messages.js';
import { mayBeCarriedOut, type Pending, PendingRequests } from '../mcp/pending.js';
import { scanText } from '../mcp/scan-message.js';
import { serverWords } from '../tokens/server-words.js';
import type { ServerRequest } from './elicitation/questions.js';
import { callRefused, messageTooCostly } from './failures.js';

/** How long the end of a session may take, and before that the news that requests are cancelled, in milliseconds. */
const goodbyeMs = 5_000;
const cancelMs = 1_000;

const initialize = 'initialize';

/** What a conversation gives the client that carries it. */
interface ConversationParts {
  readonly host: MessageHost;
  readonly pending: PendingRequests;
  /** Whether what the server says unasked is wanted. */
  readonly listens: boolean;
  readonly signal: AbortSignal;
}

export interface ExchangesOptions {
  /** What the server is called in failures. */
  readonly server: string;
  /** The client of the server's transport. */
  readonly connect: (parts: ConversationParts) => MessageClient;
  readonly clock: Clock;
  readonly listens: boolean;
  /** Takes notifications. What it returns is awaited before more is read. */
  readonly notify: (method: string, params: JsonObject) => unknown;
  /** The result for a request of the server; undefined: it was not offered. @param asked Aborts when a request under way is cancelled. */
  readonly respond: (request: ServerRequest, asked: readonly AbortSignal[]) => Promise<JsonObject | undefined>;
  /** Whether results are kept as the server spelled them. */
  readonly keepsSpelling?: (() => boolean) | undefined;
  readonly signal: AbortSignal;
}

/** A message, and the key of the request that it came for. */
interface Received {
  readonly kind: Message['kind'];
  readonly id: string | undefined;
  readonly message: Message;
}

interface Parsed extends Incoming {
  readonly messages: readonly Received[];
}

/** A request under way. */
interface Asked {
  readonly pending: Pending;
  readonly signal: AbortSignal;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

/** The messages of one conversation: this process is the protocol client's host. */
export class Exchanges implements MessageHost, AsyncDisposable {
  readonly keepsTexts = false;
  readonly #options: ExchangesOptions;
  readonly client: MessageClient;
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
  /** Results as the server spelled them, where that is kept. */
  readonly spelled = new WeakMap<JsonObject, Uint8Array>();
  /** By their keys. */
  readonly #asked = new Map<string, Asked>();

  constructor(options: ExchangesOptions) {
    this.#options = options;
    const { signal, connect, listens } = options;
    const ending = AbortSignal.any([signal, this.#ending.signal]);
    this.client = connect({ host: this, pending: this.#pending, listens, signal: ending });
    signal.addEventListener('abort', () => {
      this.#stopped = this.#stop(signal.reason);
    });
  }

  /**
   * Sends one request. Several may be under way.
   * @param as.cancelled Ends this request alone: the server is told, and may have done it all the same.
   * @throws Failure `call_failed`, `http_failed`, `protocol_broken`, the client's, or the signal's reason
   */
  async request(
    method: string,
    params: JsonObject,
    { isModern, cancelled }: { readonly isModern: boolean; readonly cancelled: AbortSignal | undefined },
  ): Promise<JsonObject> {
    const { signal: whole } = this.#options;
    const signal = AbortSignal.any(cancelled === undefined ? [whole] : [whole, cancelled]);
    const id = this.#nextId++;
    const meta = { _meta: { ...asObject(params['_meta']), progressToken: id } };
    const message = { id, method, params: { ...params, ...(method !== initialize && meta) } };
    const key = String(id);
    const pending = this.#pending.add({ id: key, idBytes: Buffer.from(key), method, isModern });
    if (pending === undefined) throw new Error('each request has an id of its own');
    signal.throwIfAborted();
    const stop = () => this.#asked.get(key)?.reject(endedBy(signal.reason, pending));
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        this.#asked.set(key, { pending, signal, resolve, reject });
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
    await this.tell({ method: 'notifications/cancelled', params }).catch(() => undefined);
  }

  /** The end of all: the server is told of what it may be carrying out. */
  async #stop(reason: Failure): Promise<void> {
    const asked = [...this.#asked.values()].filter(
      ({ pending }) => mayBeCarriedOut(pending) && pending.method !== initialize,
    );
    const notices = asked.flatMap(({ pending }) => (pending.isModern ? [] : this.#cancel(Number(pending.id))));
    if (notices.length > 0) await within(this.#options.clock, cancelMs, Promise.all(notices)).catch(() => undefined);
    this.client.end(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopped;
    const { clock, signal } = this.#options;
    const heard = this.#notices.then(() => true);
    const isHeard = await within(clock, cancelMs, heard);
    this.#ending.abort();
    this.client.end(interrupted());
    if (signal.aborted || isHeard === undefined) return;
    // A server that cannot end its session will let it expire.
    const ended = this.client.endSession(goodbyeMs).catch(() => undefined);
    await within(clock, goodbyeMs, ended);
  }

  read(text: Uint8Array, asked: Pending | undefined): Parsed | undefined {
    const spelled = this.#options.keepsSpelling?.() ? resultIn(text) : undefined; // before the text is overwritten
    const parsed = parseMessages(text);
    if (parsed === 'costly') throw messageTooCostly(this.#options.server);
    if (parsed === undefined) return undefined;
    if (spelled !== undefined && parsed[0]?.kind === 'result') this.#keep(parsed[0].result, spelled);
    return { text, messages: parsed.map((message) => ({ kind: message.kind, id: keyOf(message, asked), message })) };
  }

  write({ messages }: Parsed): void {
    this.#received.push(...messages);
    if (!this.#isBusy) void this.#work();
  }

  revisionIn({ messages: [received] }: Parsed): string | undefined {
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

  async #take({ message, id = '' }: Received): Promise<void> {
    const { notify, respond, signal } = this.#options;
    const asked = this.#asked.get(id);
    switch (message.kind) {
      case 'result':
        asked?.resolve(message.result);
        break;
      case 'error':
        asked?.reject(callRefused(asked.pending.method, message));
        break;
      case 'notification':
        await notify(message.method, message.params);
        signal.throwIfAborted();
        break;
      case 'request': {
        const signals = [...this.#asked.values()].map((one) => one.signal);
        const result = await respond(message, signals);
        await this.tell({ id: message.id, ...(result === undefined ? { error: notOffered } : { result }) });
      }
    }
  }

  #keep(result: JsonObject, spelled: Uint8Array): void {
    this.spelled.set(result, spelled);
    const ofTask = asObject(result['result']);
    const span = membersAt(spelled, 0, ['result'])?.spans.result;
    if (ofTask !== undefined) this.spelled.set(ofTask, spelled.subarray(...(span ?? [])));
  }

  async #send(message: JsonObject, pending: Pending, reject: Asked['reject']): Promise<void> {
    try {
      const { text, message: shape } = messageOf(message);
      const outcome = await this.client.request(text, shape, pending);
      if (outcome !== undefined) throw noResponse(this.#options.server, pending, outcome);
    } catch (error) {
      if (this.#isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      reject(error);
    }
  }

  /** Sends a notification, or our response. @throws Failure `http_failed`, the client's */
  async tell(message: JsonObject): Promise<void> {
    const { text, message: shape } = messageOf(message);
    const refused = await this.client.tell(text, shape);
    if (refused !== undefined) throw statusFailed(this.#options.server, refused, serverWords(refused));
  }
}

const notOffered = { code: -32601, message: 'This client does not offer that.' };

/** As `MessageShape.id`. An error without one is for the request that it came for. */
function keyOf(message: Message, asked: Pending | undefined): string | undefined {
  if (message.kind === 'notification') return undefined;
  if (message.id === null) return asked?.id;
  return typeof message.id === 'string' ? `"${message.id}` : String(message.id);
}

/** The result in a text, as it is spelled there; of a batch none. Copies. */
function resultIn(text: Uint8Array): Uint8Array | undefined {
  const scanned = scanText(text);
  const [message] = typeof scanned === 'string' ? [] : scanned.messages;
  return message?.result && new Uint8Array(text.subarray(...message.result));
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
