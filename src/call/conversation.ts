import { Failure } from '../core/failure.js';
import { interrupted } from '../core/output-failures.js';
import type { CorePorts } from '../core/ports.js';
import { clientInfo, latestProtocolVersion } from '../core/product.js';
import { asObject, type JsonObject, stringField } from '../core/text/json.js';
import { within } from '../core/time.js';
import { type ClientOptions, ProtocolClient } from '../mcp/client.js';
import type { Outcome } from '../mcp/exchange.js';
import { httpFailed, protocolBroken } from '../mcp/failures.js';
import type { Incoming, MessageHost } from '../mcp/host.js';
import { type Message, parseMessages } from '../mcp/messages.js';
import { type Pending, PendingRequests } from '../mcp/pending.js';
import type { MessageShape } from '../mcp/scan-message.js';
import { serverWords } from '../tokens/server-words.js';
import { callRefused, messageTooCostly } from './failures.js';
import { type ElicitationPolicy, respond } from './respond.js';

/** How long a call waits for a server to take the session's own stream; some do only with the first event. */
const openingMs = 1_000;

/** How long the end of a session may take. */
const goodbyeMs = 5_000;

export interface ConversationOptions
  extends Pick<
    ClientOptions,
    'server' | 'wire' | 'authorizer' | 'credential' | 'meter' | 'headersMs' | 'maxMessageBytes' | 'signal'
  > {
  readonly policy: ElicitationPolicy;
  /** Takes notifications. What it returns is awaited before more is read. */
  readonly notify: (method: string, params: JsonObject) => unknown;
}

interface Parsed extends Incoming {
  readonly parsed: readonly Message[];
}

/** The request under way, of which there is one at a time. */
interface Asked {
  readonly method: string;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

/** One protocol session, from `initialize` to DELETE: the protocol client's host is this process. */
export class Conversation implements MessageHost, AsyncDisposable {
  readonly keepsTexts = false;
  readonly #ports: Pick<CorePorts, 'clock' | 'terminal'>;
  readonly #options: ConversationOptions;
  readonly #client: ProtocolClient;
  readonly #pending = new PendingRequests();
  readonly #ending = new AbortController();
  /** Messages that have not been handled. */
  #received: Message[] = [];
  #isBusy = false;
  #waiting: (() => void)[] = [];
  #nextId = 1;
  #asked: Asked | undefined;

  constructor(ports: Pick<CorePorts, 'clock' | 'terminal'>, options: ConversationOptions) {
    this.#ports = ports;
    this.#options = options;
    const { policy, signal } = options;
    this.#client = new ProtocolClient({
      ...options,
      clock: ports.clock,
      host: this,
      pending: this.#pending,
      listens: policy !== 'decline', // where the person may be asked, questions may come on the session's own stream, too
      tell: () => undefined,
      signal: AbortSignal.any([signal, this.#ending.signal]),
    });
    signal.addEventListener('abort', () => this.#client.end(signal.reason), { once: true });
  }

  /**
   * Opens the session; what the server says of itself.
   * @throws as `request`
   */
  async open(): Promise<JsonObject> {
    const { policy, signal } = this.#options;
    const capabilities = policy === 'decline' ? {} : { elicitation: {} };
    const params = { protocolVersion: latestProtocolVersion, capabilities, clientInfo: { ...clientInfo } };
    const result = await this.request('initialize', params);
    await this.#tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await within(this.#ports.clock, openingMs, this.#client.listening);
    signal.throwIfAborted();
    return result;
  }

  /** One request and its result. @throws Failure `call_failed`, `http_failed`, `protocol_broken`, or the client's */
  async request(method: string, params: JsonObject): Promise<JsonObject> {
    const { signal } = this.#options;
    const id = this.#nextId++;
    const progress = method === 'initialize' ? {} : { _meta: { progressToken: id } };
    const message = { jsonrpc: '2.0', id, method, params: { ...params, ...progress } };
    const key = String(id);
    const pending = this.#pending.add({ id: key, idBytes: bytesOf(key), method, isModern: false });
    if (pending === undefined) throw new Error('each request has an id of its own');
    signal.throwIfAborted();
    const stop = () => this.#asked?.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        this.#asked = { method, resolve, reject };
        void this.#send(message, pending, reject);
      });
    } finally {
      signal.removeEventListener('abort', stop);
      this.#pending.settle(pending);
      pending.exchange?.abort(undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#client.end(interrupted());
    if (this.#options.signal.aborted) return;
    // A server that cannot end its session will let it expire.
    const ended = this.#client.endSession(goodbyeMs).catch(() => undefined);
    await within(this.#ports.clock, goodbyeMs, ended);
  }

  read(text: Uint8Array, asked: Pending | undefined): Parsed | undefined {
    const parsed = parseMessages(text);
    if (parsed === 'costly') throw messageTooCostly(this.#options.server);
    return (
      parsed && { text, parsed, messages: parsed.map((message) => ({ kind: message.kind, id: keyOf(message, asked) })) }
    );
  }

  write({ parsed }: Parsed): void {
    for (const message of parsed) this.#received.push(message);
    if (!this.#isBusy) void this.#work();
  }

  revisionIn({ parsed: [message] }: Parsed): string | undefined {
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
        for (const message of this.#received.splice(0)) await this.#take(message);
      }
    } catch (error) {
      this.#received = [];
      this.#asked?.reject(error);
    }
    this.#isBusy = false;
    for (const then of this.#waiting.splice(0)) then();
  }

  async #take(message: Message): Promise<void> {
    const { notify, policy, signal } = this.#options;
    switch (message.kind) {
      case 'result':
        this.#asked?.resolve(message.result);
        break;
      case 'error':
        this.#asked?.reject(callRefused(this.#asked.method, message.code, message.message));
        break;
      case 'notification':
        await notify(message.method, message.params);
        signal.throwIfAborted();
        break;
      case 'request':
        await this.#tell(await respond(this.#ports, message, policy, signal));
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

  /** Sends a notification, or our response. */
  async #tell(message: JsonObject): Promise<void> {
    const refused = await this.#client.tell(textOf(message), shapeOf(message));
    if (refused !== undefined) throw httpFailed(this.#options.server, refused.status, serverWords(refused));
  }
}

/** As `MessageShape.id`. An error without one is for the request that it came for. */
function keyOf(message: Message, asked: Pending | undefined): string | undefined {
  if (message.kind === 'notification') return undefined;
  if (message.id === null) return asked?.id;
  return typeof message.id === 'number' ? String(message.id) : `"${message.id}`;
}

function noResponse(server: string, { method }: Pending, outcome: Outcome): Failure {
  switch (outcome.kind) {
    case 'refused':
      return httpFailed(server, outcome.status, serverWords(outcome));
    case 'stream':
      if (outcome.error instanceof Failure) return outcome.error;
      return protocolBroken(server, 'its event stream ended before the answer came');
    case 'empty':
      if (outcome.status !== 200) return httpFailed(server, outcome.status);
      return protocolBroken(server, 'its answer is neither JSON nor an event stream');
    default:
      return protocolBroken(server, `it gave no answer to ${method}`);
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(message: JsonObject): Uint8Array {
  return bytesOf(JSON.stringify(message));
}

function shapeOf(message: JsonObject): MessageShape {
  const method = stringField(message, 'method') ?? '';
  const params = asObject(message['params']) ?? {};
  const [name, uri] = [stringField(params, 'name'), stringField(params, 'uri')];
  const own = message['id'] === undefined ? 'notification' : 'request';
  return {
    kind: method === '' ? 'result' : own,
    id: undefined,
    idBytes: undefined,
    method,
    params: { ...(name !== undefined && { name }), ...(uri !== undefined && { uri }) },
    resultAt: -1,
    errorAt: -1,
    errorEnd: -1,
  };
}
