import { Failure } from '../core/failure.js';
import type { Clock } from '../core/ports.js';
import { asObject, type JsonValue, parseObject } from '../core/text/json.js';
import type { Outcome, Refusal } from './exchange.js';
import { Inbound } from './inbound.js';
import { OlderTransport } from './older-transport.js';
import type { Pending, PendingRequests } from './pending.js';
import { outgoingFor, Reopener } from './reopener.js';
import { type MessageShape, scanText } from './scan-message.js';
import { Session } from './session.js';
import { type ClientParts, keepListening, Position, resume, type StreamEnd } from './streams.js';
import { Transport, type TransportParts } from './transport.js';

export interface ClientOptions extends TransportParts, Pick<ClientParts, 'server' | 'tell' | 'signal'> {
  /** As for what comes in: lines on what was left out. */
  readonly warn?: ((line: string) => void) | undefined;
  readonly clock: Clock;
  readonly pending: PendingRequests;
  /** Whether the session's own event stream is wanted. */
  readonly listens: boolean;
}

/** A host's way to one server, whatever the transport. */
export interface MessageClient {
  /**
   * Sends a request. Resolves once the host has its response, or it is cancelled; to what came instead if there is none.
   * @throws Failure of the transport, `session_lost`, `protocol_broken`
   */
  request(text: Uint8Array, message: MessageShape, pending: Pending): Promise<Outcome | undefined>;
  /** Sends what has no response. The refusal, if it is refused. @throws as `request` */
  tell(text: Uint8Array, message: MessageShape): Promise<Refusal | undefined>;
  /** Ends all requests under way: they fail with that. */
  end(reason: Failure): void;
  /** Ends the session at the server: best effort. @throws Failure of the authorizer */
  endSession(maxMs: number): Promise<void>;
  /** Resolves once what the server says unasked can come, or never will. */
  readonly listening: Promise<void>;
  /** Resolves once nothing comes unasked any more: to why, as far as that is known. */
  readonly over: Promise<StreamEnd>;
}

const initialized = 'notifications/initialized';

/**
 * Speaks the protocol with one server over Streamable HTTP, or the older transport: each message of the host is a POST of
 * the bytes that it is, and what the server sends goes to the host as bytes.
 */
export class ProtocolClient implements MessageClient {
  readonly #options: ClientOptions;
  readonly #parts: ClientParts;
  readonly #reopener: Reopener;
  /** Until what speaks of the session is said in a new one, too: then it is about something else. */
  #believesWords = true;
  #older: OlderTransport | undefined;
  listening: Promise<void> = Promise.resolve();
  readonly over: Promise<StreamEnd>;
  #close: (end: StreamEnd) => void = () => undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { server, clock, credential, host, pending, tell, signal } = options;
    const session = new Session(server);
    const inbound = new Inbound({ server, host, pending, session, tell, warn: options.warn });
    const transport = new Transport(options);
    this.#parts = { server, clock, transport, credential, session, inbound, pending, tell, signal };
    this.#reopener = new Reopener(this.#parts);
    this.over = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  get revision(): string | undefined {
    return this.#parts.session.revision;
  }

  async request(text: Uint8Array, message: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    const { session } = this.#parts;
    await this.#reopener.ready();
    const opens = pending.method === 'initialize';
    if (opens) {
      session.clear();
      session.opening = { initialize: text, initialized: undefined };
    } else if (this.#older !== undefined) {
      return this.#older.request(text, message, pending);
    }
    const position = new Position();
    const { number, hasId } = session;
    let outcome = await this.#post(text, message, pending, position);
    if (opens && (await this.#isOlder(outcome))) return this.#older?.request(text, message, pending);
    if (hasId && !pending.isModern && this.#isLost(outcome)) {
      await this.#reopener.reopen(number);
      outcome = await this.#post(text, message, pending, position);
      this.#believesWords &&= !this.#isLost(outcome);
    }
    return this.#conclude(outcome, pending, position);
  }

  async tell(text: Uint8Array, message: MessageShape): Promise<Refusal | undefined> {
    const { session } = this.#parts;
    const isInitialized = message.method === initialized;
    if (isInitialized && session.opening !== undefined) session.opening.initialized = text;
    if (this.#older !== undefined) {
      if (isInitialized) void this.#older.closed.then((error) => this.#close({ wasOpen: true, error }));
      return this.#older.tell(text, message);
    }
    await this.#reopener.ready();
    const { number, hasId } = session;
    let outcome = await this.#post(text, message, undefined, new Position());
    if (hasId && this.#isLost(outcome)) {
      await this.#reopener.reopen(number);
      if (isInitialized) return undefined;
      outcome = await this.#post(text, message, undefined, new Position());
      this.#believesWords &&= !this.#isLost(outcome);
    }
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'refused') return outcome;
    if (isInitialized && this.#options.listens) {
      const stream = keepListening(this.#parts);
      this.listening = stream.opened;
      void stream.over.then((end) => this.#close(end));
    }
    return undefined;
  }

  /** Gives the host a text that came for that request; false: not for it. */
  take(text: Uint8Array, asked: Pending): boolean {
    return this.#parts.inbound.take(text, asked);
  }

  end(reason: Failure): void {
    this.#parts.transport.end(reason);
  }

  async endSession(maxMs: number): Promise<void> {
    const { wire, authorizer } = this.#options;
    const { session, server, credential } = this.#parts;
    if (!session.hasId || !session.isOf(credential.key)) return;
    const method = 'DELETE';
    const target = { url: server, method, operation: () => method, repeatable: () => false };
    const { own } = await authorizer.authorize(target);
    const headers = this.#parts.transport.headersWith(session.headers(credential.key), own, server);
    await new Promise<void>((resolve) => {
      const request = { method, url: server, headers, body: undefined, lasting: false } as const;
      const done = () => resolve();
      wire.send({ ...request, headersMs: maxMs }, { head: done, data: done, end: done, failed: done });
    });
  }

  async #post(
    text: Uint8Array,
    message: MessageShape,
    pending: Pending | undefined,
    position: Position,
  ): Promise<Outcome> {
    const { transport, inbound } = this.#parts;
    return transport.send({
      ...outgoingFor(this.#parts, text, message),
      event: (event) => {
        position.note(event);
        return inbound.event(event, pending);
      },
      began: (exchange) => {
        if (pending !== undefined) pending.exchange = exchange;
      },
    });
  }

  /** A server that refuses `initialize` with these may speak the older transport only: it is asked. */
  async #isOlder(outcome: Outcome): Promise<boolean> {
    this.#older = undefined;
    if (outcome.kind !== 'refused' || ![400, 404, 405].includes(outcome.status)) return false;
    if (typeof scanText(outcome.body) !== 'string') return false; // a server of the newer transport, with an error of its own
    const older = new OlderTransport(this.#parts);
    const isOpen = await older.open().catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code === 'protocol_broken') throw error;
      return false;
    });
    if (!isOpen) return false;
    this.#parts.tell('The server speaks the older transport (HTTP with SSE) only, which is used.');
    this.#older = older;
    return true;
  }

  /** Whether a request of a session was refused because the server has lost it. */
  #isLost(outcome: Outcome): boolean {
    const { session, credential } = this.#parts;
    const speaks = (body: Uint8Array) => this.#believesWords && speaksOfSession(body);
    if (outcome.kind === 'json') return speaks(outcome.body) && errorCodeIn(outcome.body) === -32_001;
    if (outcome.kind !== 'refused') return false;
    if (outcome.status === 400) return !session.isOf(credential.key) || speaks(outcome.body);
    return outcome.status === 404;
  }

  async #conclude(outcome: Outcome, pending: Pending, position: Position): Promise<Outcome | undefined> {
    const { inbound, pending: all } = this.#parts;
    if (outcome.kind === 'json') inbound.take(outcome.body, pending);
    if (!all.has(pending) || pending.isCancelled) return undefined;
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'stream' && !pending.isModern) return resume(this.#parts, pending, position, outcome);
    return outcome;
  }
}

/** Longest response searched for words about the session, in bytes. */
const longestWords = 4096;

/** Each server words an unknown session in its own way. */
function speaksOfSession(body: Uint8Array): boolean {
  return body.byteLength <= longestWords && /session|not initialized/i.test(Buffer.from(body).toString('latin1'));
}

function errorCodeIn(body: Uint8Array): JsonValue | undefined {
  return asObject(parseObject(body)?.['error'])?.['code'];
}
