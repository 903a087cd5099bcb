import { Failure } from '../core/failure.js';
import { httpFailed, protocolBroken } from '../mcp/failures.js';
import { namedError } from '../mcp/rpc-error.js';
import { type MessageShape, scanText } from '../mcp/scan-message.js';
import { serverWords } from '../tokens/server-words.js';
import type { Outcome } from './exchange.js';
import { answerMissing } from './failures.js';
import { LegacyTransport } from './older-transport.js';
import type { Pending } from './pending.js';
import { outgoingFor, Reopener } from './reopener.js';
import { keepStanding, Position, resume, type StreamParts } from './streams.js';

/** What the host sends: each message a POST of the bytes that came, and the way to its answer. */
export class Outbound {
  readonly #parts: StreamParts;
  readonly #reopener: Reopener;
  #legacy: LegacyTransport | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#reopener = new Reopener(parts);
  }

  /** Passes a request on, until it is answered or cancelled. @throws Failure when it will not be */
  async request(line: Uint8Array, message: MessageShape, pending: Pending): Promise<void> {
    const { session } = this.#parts;
    await this.#reopener.ready();
    if (pending.method === 'initialize') {
      session.clear();
      session.opening = { initialize: line, initialized: undefined };
    }
    if (this.#legacy !== undefined && pending.method !== 'initialize') {
      return this.#legacy.request(line, message, pending);
    }
    const position = new Position();
    const { number, hasId } = session;
    let outcome = await this.#post(line, message, pending, position);
    if (pending.method === 'initialize' && (await this.#isLegacy(outcome))) {
      return this.#legacy?.request(line, message, pending);
    }
    if (hasId && !pending.isModern && this.#isLost(outcome)) {
      await this.#reopener.reopen(number);
      outcome = await this.#post(line, message, pending, position);
    }
    await this.#conclude(outcome, pending, position);
  }

  /** Passes on what has no answer. @throws Failure when the server would not have it */
  async tell(line: Uint8Array, message: MessageShape): Promise<void> {
    const { session, server } = this.#parts;
    if (message.method === 'notifications/initialized' && session.opening !== undefined) {
      session.opening.initialized = line;
    }
    if (this.#legacy !== undefined) return this.#legacy.tell(line, message);
    await this.#reopener.ready();
    const { number, hasId } = session;
    let outcome = await this.#post(line, message, undefined, new Position());
    if (hasId && this.#isLost(outcome)) {
      await this.#reopener.reopen(number);
      if (message.method === 'notifications/initialized') return;
      outcome = await this.#post(line, message, undefined, new Position());
    }
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'refused') throw httpFailed(server, outcome.status, serverWords(outcome));
    if (message.method === 'notifications/initialized') keepStanding(this.#parts);
  }

  async #post(
    line: Uint8Array,
    message: MessageShape,
    pending: Pending | undefined,
    position: Position,
  ): Promise<Outcome> {
    const { transport, inbound } = this.#parts;
    return transport.send({
      ...outgoingFor(this.#parts, line, message),
      event: (event) => {
        position.note(event);
        return inbound.event(event);
      },
      began: (running) => {
        if (pending?.isModern) pending.abort = () => running.abort(undefined);
      },
    });
  }

  /** A server that refuses `initialize` like this may speak the older transport only; asking it tells. */
  async #isLegacy(outcome: Outcome): Promise<boolean> {
    this.#legacy = undefined;
    if (outcome.kind !== 'refused' || ![400, 404, 405].includes(outcome.status)) return false;
    if (typeof scanText(outcome.body) !== 'string') return false; // it has answered, in its own words
    const legacy = new LegacyTransport(this.#parts);
    const isOpen = await legacy.open().catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code === 'protocol_broken') throw error;
      return false;
    });
    if (!isOpen) return false;
    this.#parts.tell('The server speaks the older transport (HTTP with SSE) only, which is used.');
    this.#legacy = legacy;
    return true;
  }

  /** Of a request that was sent within a session. */
  #isLost(outcome: Outcome): boolean {
    const { session, tokens } = this.#parts;
    if (outcome.kind !== 'refused') return false;
    return outcome.status === 404 || (outcome.status === 400 && !session.isOf(tokens.key));
  }

  async #conclude(outcome: Outcome, pending: Pending, position: Position): Promise<void> {
    const { server, inbound, pending: all } = this.#parts;
    if (outcome.kind === 'json') inbound.take(outcome.body);
    if (!all.has(pending) || pending.isCancelled) return;
    switch (outcome.kind) {
      case 'stream':
        if (pending.isModern) throw answerMissing(server, outcome.error);
        return resume(this.#parts, pending, position, outcome.error);
      case 'refused':
        if (this.#passedOn(outcome.body, pending)) return;
        throw httpFailed(server, outcome.status, serverWords(outcome));
      case 'failed':
        throw outcome.error;
      default:
        throw protocolBroken(server, `it gave no answer to ${pending.method}`);
    }
  }

  /** An error of JSON-RPC in an answer that is no success is the answer, though it may not name the request. */
  #passedOn(body: Uint8Array, pending: Pending): boolean {
    if (body.byteLength === 0) return false;
    const scanned = scanText(body);
    if (typeof scanned === 'string' || scanned.isBatch) return false;
    const [message] = scanned.messages;
    if (message?.kind !== 'answer') return false;
    if (message.id === pending.id) {
      this.#parts.inbound.take(body);
      return true;
    }
    if (message.errorAt === -1 || message.id !== undefined) return false;
    this.#parts.inbound.take(namedError(pending.idBytes, body.subarray(message.errorAt, message.errorEnd)));
    return true;
  }
}
