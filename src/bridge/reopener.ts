import { messageHeaders, ownRevision } from '../mcp/message-headers.js';
import { type MessageShape, scanText } from '../mcp/scan-message.js';
import type { Outcome } from './exchange.js';
import { sessionLost } from './failures.js';
import { everyMessage } from './session.js';
import { keepStanding, type StreamParts } from './streams.js';
import type { OutgoingMessage } from './transport.js';

/** Requests that change nothing, so that a second one does no harm. */
const readOnly: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);

/** The POST that a message of the host becomes: its bytes, and the headers that its revision wants. */
export function outgoingFor(
  parts: StreamParts,
  line: Uint8Array,
  message: MessageShape,
): Omit<OutgoingMessage, 'event'> {
  const { session, server, tokens } = parts;
  const { method, params, kind } = message;
  const revision = ownRevision(message);
  const isCall = revision !== undefined && method === 'tools/call';
  const parameters = isCall ? session.parameterHeaders.headersFor(params.name, line) : [];
  const own =
    revision === undefined ? undefined : [...everyMessage, ...messageHeaders(message, revision), ...parameters];
  const opens = method === 'initialize';
  return {
    request: { method: 'POST', url: server, body: line, lasting: kind === 'request' },
    headers: () => own ?? session.messageHeaders(tokens.key),
    operation: () => `POST ${new URL(server).pathname} ${method} ${params.name ?? params.uri ?? ''}`.trim(),
    repeatable: readOnly.has(method),
    ...(opens ? { succeeded: (header) => session.takeId(header('mcp-session-id'), tokens.key) } : {}),
  };
}

/** So often within a minute another session is opened for a lost one. */
const mostReopenings = 3;

const withinMs = 60_000;

/** Opens another session with the host's own messages, in place of one that the server has forgotten. */
export class Reopener {
  readonly #parts: StreamParts;
  #running: Promise<void> | undefined;
  #times: readonly number[] = [];

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** What is to be sent waits for the session that is being opened; how that ends is not its business. */
  async ready(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  /**
   * Once for all requests that find a session lost.
   * @param lost Which one it was (`Session.number`); there may be another one by now.
   * @throws Failure `session_lost`, or the transport's
   */
  async reopen(lost: number): Promise<void> {
    if (this.#running === undefined && this.#parts.session.number !== lost) return;
    this.#running ??= this.#reopen().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #reopen(): Promise<void> {
    const { session, server, clock, tell } = this.#parts;
    const { opening, revision } = session;
    if (opening === undefined) throw sessionLost(server, 'the messages that opened it are not known');
    const now = clock.now();
    this.#times = this.#times.filter((at) => now - at < withinMs);
    if (this.#times.length >= mostReopenings) throw sessionLost(server, 'it forgets each new one, too');
    this.#times = [...this.#times, now];
    session.clear();
    const answered = await this.#send(opening.initialize);
    if (answered.kind === 'refused') throw sessionLost(server, `it answered ${answered.status} to a new one`);
    if (session.revision !== revision) throw sessionLost(server, 'it now speaks another revision of the protocol');
    if (opening.initialized !== undefined) {
      await this.#send(opening.initialized);
      keepStanding(this.#parts);
    }
    tell(
      'The server had forgotten the session; another one was opened. What the old one held (subscriptions, log level) is gone.',
    );
  }

  /** Sends one of the opening messages once more; its answer is for us alone. */
  async #send(line: Uint8Array): Promise<Outcome> {
    const { transport } = this.#parts;
    const scanned = scanText(line);
    const [message] = typeof scanned === 'string' ? [] : scanned.messages;
    if (message === undefined) throw new Error('what the host has sent was a message');
    const outcome = await transport.send({
      ...outgoingFor(this.#parts, line, message),
      event: ({ data }) => data.byteLength > 0 && this.#take(data, message),
    });
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'json') this.#take(outcome.body, message);
    return outcome;
  }

  #take(bytes: Uint8Array, asked: MessageShape): boolean {
    const { session, inbound } = this.#parts;
    const scanned = scanText(bytes);
    const [answer] = typeof scanned === 'string' ? [] : scanned.messages;
    if (answer?.kind !== 'answer' || answer.id !== asked.id) return inbound.take(bytes);
    session.takeAnswer(bytes, answer);
    return true;
  }
}
