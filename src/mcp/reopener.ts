import type { Outcome } from './exchange.js';
import { sessionLost } from './failures.js';
import { messageHeaders, ownRevision } from './headers/message-headers.js';
import { isResponse, type MessageShape, scanText, textMember } from './scan-message.js';
import { everyMessage } from './session.js';
import { type ClientParts, keepListening } from './streams.js';
import type { OutgoingMessage } from './transport.js';

/** Requests that change nothing and may be repeated. */
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
  parts: ClientParts,
  text: Uint8Array,
  message: MessageShape,
): Omit<OutgoingMessage, 'event'> {
  const { session, server, credential } = parts;
  const { method, params, kind } = message;
  const revision = ownRevision(message);
  const isCall = revision !== undefined && method === 'tools/call';
  const parameters = isCall ? session.parameterHeaders.headersFor(params.name, text) : [];
  const own =
    revision === undefined ? undefined : [...everyMessage, ...messageHeaders(message, revision), ...parameters];
  const opens = method === 'initialize';
  return {
    request: { method: 'POST', url: server, body: text, lasting: kind === 'request' },
    headers: () => own ?? [...everyMessage, ...session.headers(credential.key)],
    operation: () => `POST ${new URL(server).pathname} ${method} ${params.name ?? params.uri ?? ''}`.trim(),
    repeatable: readOnly.has(method) || method.startsWith('notifications/'),
    ...(opens ? { succeeded: (header) => session.takeId(header('mcp-session-id'), credential.key) } : {}),
  };
}

const maxReopenings = 3;

const withinMs = 60_000;

/** Opens another session in place of one that the server has lost, with the host's own messages. */
export class Reopener {
  readonly #parts: ClientParts;
  #running: Promise<void> | undefined;
  #times: readonly number[] = [];

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** Waits for a session that is being opened, whether that succeeds or not. */
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
    if (this.#times.length >= maxReopenings) throw sessionLost(server, 'it forgets each new one, too');
    this.#times = [...this.#times, now];
    session.clear();
    const outcome = await this.#send(opening.initialize);
    if (outcome.kind === 'refused') throw sessionLost(server, `it answered ${outcome.status} to a new one`);
    if (session.revision !== revision) throw sessionLost(server, 'it now speaks another revision of the protocol');
    if (opening.initialized !== undefined) {
      await this.#send(opening.initialized);
      void keepListening(this.#parts);
    }
    tell(
      'The server had forgotten the session; another one was opened. What the old one held (subscriptions, log level) is gone.',
    );
  }

  /** Sends an opening message again. The host does not see the response. */
  async #send(text: Uint8Array): Promise<Outcome> {
    const { transport } = this.#parts;
    const message = onlyMessage(text);
    if (message === undefined) throw new Error('what the host has sent was a message');
    const outcome = await transport.send({
      ...outgoingFor(this.#parts, text, message),
      event: (event) => this.#isOwn(event.data, message) || this.#parts.inbound.event(event, undefined),
    });
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'json' && !this.#isOwn(outcome.body, message)) this.#parts.inbound.take(outcome.body);
    return outcome;
  }

  /** Takes the response to the opening message. */
  #isOwn(text: Uint8Array, asked: MessageShape): boolean {
    const { session } = this.#parts;
    const response = onlyMessage(text);
    if (response === undefined || !isResponse(response) || response.id !== asked.id) return false;
    if (response.kind === 'result') session.takeRevision(textMember(text, response.result, 'protocolVersion'));
    return true;
  }
}

function onlyMessage(text: Uint8Array): MessageShape | undefined {
  const scanned = scanText(text);
  return typeof scanned === 'string' ? undefined : scanned.messages[0];
}
