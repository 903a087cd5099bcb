import type { CorePorts } from '../core/ports.js';
import { clientInfo } from '../core/product.js';
import type { JsonObject } from '../core/text/json.js';
import { httpFailed, protocolBroken } from '../mcp/failures.js';
import type { Message } from '../mcp/messages.js';
import { usableSessionId } from '../mcp/session.js';
import { readWords } from '../tokens/server-words.js';
import type { Allowance } from './allowance.js';
import { answerServer, type ElicitationPolicy } from './answer-server.js';
import { callRefused } from './failures.js';
import { header, openStandingStream, receive } from './receive.js';
import { deleteSession, initializeParams, type ProtectedTransport, postMessage, type SessionState } from './session.js';

export interface ConversationOptions {
  readonly server: string;
  readonly transport: ProtectedTransport;
  readonly policy: ElicitationPolicy;
  /** Progress, log lines and whatever else the server tells on the way. */
  readonly notify: (method: string, params: JsonObject) => unknown;
  /** What is read of it all, at most. */
  readonly allowance: Allowance;
  readonly signal: AbortSignal;
}

/** One protocol session with the server, from `initialize` to DELETE. */
export class Conversation implements AsyncDisposable {
  readonly #ports: Pick<CorePorts, 'clock' | 'terminal'>;
  readonly #options: ConversationOptions;
  #state: SessionState;
  #nextId = 1;
  #stream: AsyncDisposable | undefined;

  constructor(ports: Pick<CorePorts, 'clock' | 'terminal'>, options: ConversationOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#state = freshState(options);
  }

  /**
   * Opens the session; what the server says of itself.
   * @throws Failure `call_failed`, `http_failed`, `protocol_broken`, or the sender's
   */
  async open(): Promise<JsonObject> {
    this.#state = freshState(this.#options);
    const params = initializeParams({ ...clientInfo }, this.#options.policy !== 'decline');
    const result = await this.#exchange('initialize', params);
    const version = result['protocolVersion'];
    if (typeof version !== 'string' || !/^[\x21-\x7e]{1,64}$/.test(version)) {
      throw protocolBroken(this.#options.server, 'its answer to initialize names no protocol version');
    }
    this.#state.protocolVersion = version;
    await this.#tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await this.#listen();
    return result;
  }

  /**
   * One request and its result. A session that the server has lost (404) is opened once more.
   * @throws Failure `call_failed`, `http_failed`, `protocol_broken`, or the sender's
   */
  async request(method: string, params: JsonObject): Promise<JsonObject> {
    try {
      return await this.#exchange(method, params);
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      await this.open();
      return await this.#exchange(method, params);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream?.[Symbol.asyncDispose]();
    const { sessionId } = this.#state;
    if (sessionId === undefined || this.#options.signal.aborted) return;
    try {
      const response = await deleteSession(this.#options.transport, this.#state, this.#options.signal);
      await response[Symbol.asyncDispose]();
    } catch {
      // The result is in hand; a server that cannot end its session will let it expire.
    }
  }

  /** Where the person may be asked, questions may also come on the session's own stream. */
  async #listen(): Promise<void> {
    await this.#stream?.[Symbol.asyncDispose]();
    const { policy, transport, allowance, signal } = this.#options;
    const take = (message: Message) => this.#overhear(message);
    this.#stream =
      policy === 'decline'
        ? undefined
        : await openStandingStream(this.#ports, {
            ...{ transport, allowance, signal, take },
            state: this.#state,
          });
  }

  async #exchange(method: string, params: JsonObject): Promise<JsonObject> {
    const id = this.#nextId++;
    const { transport, signal, server, allowance } = this.#options;
    const progress = method === 'initialize' ? {} : { _meta: { progressToken: id } };
    const message = { jsonrpc: '2.0', id, method, params: { ...params, ...progress } };
    await using response = await postMessage(transport, this.#state, message, signal);
    if (response.status === 404 && this.#state.sessionId !== undefined) throw new SessionLost();
    const sessionId = header(response, 'mcp-session-id');
    if (method === 'initialize' && response.status === 200) {
      if (!usableSessionId(sessionId)) throw protocolBroken(server, 'its session identifier has forbidden characters');
      this.#state.sessionId = sessionId;
    }
    if (response.status !== 200) {
      throw httpFailed(server, response.status, await readWords(this.#ports.clock, response));
    }
    const around = { transport, state: this.#state, allowance, signal };
    for await (const messages of receive(this.#ports, around, response)) {
      for (const received of messages) {
        const result = this.#take(received, id, method);
        if (result !== undefined) return result;
        if (received.kind === 'notification' || received.kind === 'request') await this.#overhear(received);
      }
    }
    throw protocolBroken(server, `it gave no answer to ${method}`);
  }

  #take(received: Message, id: number, method: string): JsonObject | undefined {
    if (received.kind === 'result' && received.id === id) return received.result;
    if (received.kind === 'error' && (received.id === id || received.id === null)) {
      throw callRefused(method, received.code, received.message);
    }
    return undefined;
  }

  /** What the server sends beside the answer: news, and requests of its own. */
  async #overhear(received: Message): Promise<void> {
    const { notify, policy, signal } = this.#options;
    if (received.kind === 'notification') {
      await notify(received.method, received.params);
      signal.throwIfAborted();
    }
    if (received.kind === 'request') await this.#tell(await answerServer(this.#ports, received, policy, signal));
  }

  /** Sends what has no answer: a notification or our own answer. */
  async #tell(message: JsonObject): Promise<void> {
    const { transport, signal, server } = this.#options;
    await using response = await postMessage(transport, this.#state, message, signal);
    if (response.status < 200 || response.status >= 300) {
      throw httpFailed(server, response.status, await readWords(this.#ports.clock, response));
    }
  }
}

/** The server no longer knows the session; never leaves this file. */
class SessionLost extends Error {}

function freshState({ server }: ConversationOptions): SessionState {
  return { server, sessionId: undefined, protocolVersion: undefined };
}
