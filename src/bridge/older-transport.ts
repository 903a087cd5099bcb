import type { EventBytes } from '../core/text/event-stream.js';
import { httpFailed, protocolBroken } from '../mcp/failures.js';
import type { MessageShape } from '../mcp/scan-message.js';
import { serverWords } from '../tokens/server-words.js';
import { answerMissing, sessionLost } from './failures.js';
import type { Pending } from './pending.js';
import { outgoingFor } from './reopener.js';
import type { StreamParts } from './streams.js';

/** How long such a server may take to name the address for messages. */
const namingMs = 10_000;

/**
 * The older transport (HTTP+SSE, revision 2024-11-05): one event stream brings everything, and its first event names
 * the address that messages are sent to. Such an address counts only on the server's own origin.
 */
export class LegacyTransport {
  readonly #parts: StreamParts;
  #endpoint: string | undefined;
  #closed: Promise<void> = Promise.resolve();

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Whether the stream is there, and an address for messages. */
  get isOpen(): boolean {
    return this.#endpoint !== undefined;
  }

  /** Opens the stream. False where the server has none of that kind. @throws Failure of the transport, `protocol_broken` */
  async open(): Promise<boolean> {
    const { transport, server, clock, signal } = this.#parts;
    let named: () => void = () => undefined;
    const naming = new Promise<void>((resolve) => {
      named = resolve;
    });
    const stream = transport.send({
      request: { method: 'GET', url: server, body: undefined, lasting: true },
      headers: () => [['accept', 'text/event-stream']],
      operation: () => `GET ${new URL(server).pathname}`,
      repeatable: true,
      event: (event) => {
        const isWanted = this.#take(event);
        if (this.isOpen) named();
        return isWanted;
      },
    });
    const ended = stream.then((outcome) => {
      this.#endpoint = undefined;
      if (outcome.kind === 'failed') throw outcome.error;
    });
    this.#closed = ended.catch(() => undefined);
    const waiting = new AbortController();
    const late = clock.sleep(namingMs, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
    try {
      await Promise.race([naming, ended, late]);
    } finally {
      waiting.abort();
    }
    return this.isOpen;
  }

  /** Sends a request, whose answer comes on the stream. @throws Failure when it will not come */
  async request(line: Uint8Array, message: MessageShape, pending: Pending): Promise<void> {
    const { server, pending: all } = this.#parts;
    const closed = this.#closed;
    await this.tell(line, message);
    await Promise.race([pending.answered, closed]);
    if (all.has(pending)) throw answerMissing(server, undefined);
  }

  /** Sends what has no answer. @throws Failure `session_lost`, `http_failed`, or the transport's */
  async tell(line: Uint8Array, message: MessageShape): Promise<void> {
    const { transport, server } = this.#parts;
    const url = this.#endpoint;
    if (url === undefined) throw sessionLost(server, 'has closed its event stream');
    const outgoing = outgoingFor(this.#parts, line, message);
    const { succeeded: _none, ...rest } = outgoing;
    const outcome = await transport.send({
      ...rest,
      request: { ...outgoing.request, url, lasting: false },
      reach: () => 'host',
      event: () => false,
    });
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'refused') throw httpFailed(server, outcome.status, serverWords(outcome));
  }

  #take(event: EventBytes): boolean {
    const { inbound, server } = this.#parts;
    if (event.event !== 'endpoint') return inbound.overhear(event);
    if (this.#endpoint === undefined) {
      const address = addressIn(event.data, server);
      if (address === undefined) throw protocolBroken(server, 'it names an address for messages that is not its own');
      this.#endpoint = address;
    }
    return false;
  }
}

/** The address that the event names, when it is one on the same origin. */
function addressIn(data: Uint8Array, server: string): string | undefined {
  const text = new TextDecoder().decode(data);
  if (!/^[\x21-\x7e]{1,2000}$/.test(text) || text.includes('\\') || !URL.canParse(text, server)) return undefined;
  const url = new URL(text, server);
  const isOwn = url.origin === new URL(server).origin && url.username === '' && url.password === '';
  url.hash = '';
  return isOwn ? url.href : undefined;
}
