import type { EventBytes } from '../core/text/event-stream.js';
import { within } from '../core/time.js';
import type { Outcome, Refusal } from './exchange.js';
import { protocolBroken, sessionLost } from './failures.js';
import { endless, type Pending } from './pending.js';
import { outgoingFor } from './reopener.js';
import type { MessageShape } from './scan-message.js';
import type { ClientParts } from './streams.js';

/** How long such a server may take to name the address for messages. */
const namingMs = 10_000;

/**
 * The older transport (HTTP+SSE, revision 2024-11-05): one event stream brings everything, and its first event names
 * the address that messages are sent to. Such an address counts only on the server's own origin.
 */
export class OlderTransport {
  readonly #parts: ClientParts;
  #endpoint: string | undefined;
  #closed: Promise<unknown> = Promise.resolve();

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** Resolves once the stream has ended: to what it failed with, if so. */
  get closed(): Promise<unknown> {
    return this.#closed;
  }

  /** Opens the stream. False where the server has none of that kind. @throws Failure of the transport, `protocol_broken` */
  async open(): Promise<boolean> {
    const { transport, server, clock } = this.#parts;
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
        if (this.#endpoint !== undefined) named();
        return isWanted;
      },
    });
    const ended = stream.then((outcome) => {
      this.#endpoint = undefined;
      if (outcome.kind === 'failed') throw outcome.error;
    });
    this.#closed = ended.catch((error: unknown) => error);
    await within(clock, namingMs, Promise.race([naming, ended]));
    return this.#endpoint !== undefined;
  }

  /** Sends a request, whose response comes on the stream. The outcome where it will not. @throws as `tell` */
  async request(text: Uint8Array, message: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    const closed = this.#closed;
    const refused = await this.#post(text, message, () => {
      pending.exchange = endless;
    });
    if (refused !== undefined) return refused;
    await Promise.race([pending.settled, closed]);
    return this.#parts.pending.has(pending) ? { kind: 'stream', error: undefined } : undefined;
  }

  /** Sends what has no response. The refusal, if it is refused. @throws Failure `session_lost`, or the transport's */
  tell(text: Uint8Array, message: MessageShape): Promise<Refusal | undefined> {
    return this.#post(text, message, () => undefined);
  }

  async #post(text: Uint8Array, message: MessageShape, began: () => void): Promise<Refusal | undefined> {
    const { transport, server } = this.#parts;
    const url = this.#endpoint;
    if (url === undefined) throw sessionLost(server, 'has closed its event stream');
    const { succeeded: _none, ...outgoing } = outgoingFor(this.#parts, text, message);
    const outcome = await transport.send({
      ...outgoing,
      request: { ...outgoing.request, url, lasting: false },
      reach: () => 'host',
      event: () => false,
      began,
    });
    if (outcome.kind === 'failed') throw outcome.error;
    return outcome.kind === 'refused' ? outcome : undefined;
  }

  #take(event: EventBytes): boolean {
    const { inbound, server } = this.#parts;
    if (event.event !== 'endpoint') return inbound.event(event, undefined);
    if (this.#endpoint === undefined) {
      const address = addressIn(event.data, server);
      if (address === undefined) throw protocolBroken(server, 'it names an address for messages that is not its own');
      this.#endpoint = address;
    }
    return false;
  }
}

/** The address in the event, if it is on the server's origin. */
function addressIn(data: Uint8Array, server: string): string | undefined {
  const text = new TextDecoder().decode(data);
  if (!/^[\x21-\x7e]{1,2000}$/.test(text) || text.includes('\\') || !URL.canParse(text, server)) return undefined;
  const url = new URL(text, server);
  const isOwn = url.origin === new URL(server).origin && url.username === '' && url.password === '';
  url.hash = '';
  return isOwn ? url.href : undefined;
}
