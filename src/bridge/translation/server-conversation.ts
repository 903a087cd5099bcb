import { withoutMark } from '../../core/text/bytes.js';
import type { JsonObject } from '../../core/text/json.js';
import type { ProtocolClient } from '../../mcp/client.js';
import type { Outcome } from '../../mcp/exchange.js';
import { CallRefused, protocolBroken } from '../../mcp/failures.js';
import type { Incoming, MessageHost } from '../../mcp/inbound.js';
import { type Message, type MessageText, messageOf, parseMessages } from '../../mcp/messages.js';
import { type Pending, PendingRequests } from '../../mcp/pending.js';
import { isResponse, scanText } from '../../mcp/scan-message.js';
import type { HostPipe } from '../host-pipe.js';
import { noResponse } from '../server-messages.js';

interface ServerConversationParts {
  readonly server: string;
  readonly pipe: Pick<HostPipe, 'isFull' | 'whenDrained'>;
  /** The client whose host this is. */
  readonly connect: (host: MessageHost, pending: PendingRequests) => ProtocolClient;
  /** Takes notifications, as they are spelled. */
  readonly notified: (notification: MessageText) => void;
}

interface Received extends Incoming {
  readonly received: MessageText;
  readonly asked: string | undefined;
}

/** A request under way. */
interface Asked {
  readonly respond: (text: Uint8Array) => void;
  readonly notified: (notification: MessageText) => void;
}

/** Requests of the bridge’s own to a server of the newer era. */
export class ServerConversation implements MessageHost {
  readonly keepsTexts = true;
  readonly client: ProtocolClient;
  readonly #parts: ServerConversationParts;
  readonly #pending = new PendingRequests();
  readonly #asked = new Map<string, Asked>();

  constructor(parts: ServerConversationParts) {
    this.#parts = parts;
    this.client = parts.connect(this, this.#pending);
  }

  /**
   * Sends one request. Its result.
   * @param notified Takes the notifications that come for it
   * @throws CallRefused; Failure as the client's `request`, and where no response comes; the signal's reason
   */
  async exchange(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    notified = this.#parts.notified,
  ): Promise<JsonObject> {
    const id = `postern-${crypto.randomUUID()}`;
    const { text, message } = messageOf({ id, method, params });
    const key = `"${id}`;
    const pending = this.#pending.add({ id: key, idBytes: Buffer.from(`"${id}"`), method, isModern: true });
    if (pending === undefined) throw new Error('each request has an id of its own');
    const over = new AbortController();
    try {
      signal.throwIfAborted();
      const response = await new Promise<Uint8Array>((respond, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { signal: over.signal });
        this.#asked.set(key, { respond, notified });
        // Without an outcome the response has come, or is not waited for.
        this.client.request(text, message, pending).then((outcome) => {
          if (outcome?.kind === 'refused' && isError(outcome.body)) respond(outcome.body);
          else if (outcome !== undefined) reject(noResponse(this.#parts.server, method, outcome));
        }, reject);
      });
      return this.#resultIn(method, response);
    } finally {
      over.abort();
      pending.isCancelled = signal.aborted;
      this.#pending.settle(pending);
      this.#asked.delete(key);
      if (pending.isCancelled) pending.exchange?.abort(undefined);
    }
  }

  read(given: Uint8Array, asked: Pending | undefined): Received | undefined {
    const text = withoutMark(given);
    const found = scanText(text);
    const [message] = typeof found === 'string' ? [] : found.messages;
    if (message === undefined) return undefined;
    const { kind } = message;
    const id = kind === 'error' && message.id === undefined ? asked?.id : message.id;
    return { text, messages: [{ kind, id }], received: { text, message: { ...message, id } }, asked: asked?.id };
  }

  write({ received, asked }: Received): void {
    const { text, message } = received;
    if (isResponse(message)) this.#asked.get(message.id ?? '')?.respond(text);
    else if (message.kind === 'notification') (this.#asked.get(asked ?? '') ?? this.#parts).notified(received);
  }

  /** Only a session has one. */
  revisionIn(): undefined {
    return undefined;
  }

  get isFull(): boolean {
    return this.#parts.pipe.isFull;
  }

  whenDrained(then: () => void): void {
    this.#parts.pipe.whenDrained(then);
  }

  #resultIn(method: string, text: Uint8Array): JsonObject {
    const parsed = parseMessages(text);
    const [message] = typeof parsed === 'object' ? parsed : [];
    if (message?.kind === 'result') return message.result;
    if (message?.kind === 'error') throw new CallRefused(method, message);
    const why = parsed === 'costly' ? 'its response has too many values' : 'its response can be read in several ways';
    throw protocolBroken(this.#parts.server, why);
  }
}

/** Whether the body of a refusal is an error response, which may not name the request. */
function isError(body: Extract<Outcome, { kind: 'refused' }>['body']): boolean {
  const found = scanText(body);
  return typeof found !== 'string' && found.messages[0]?.kind === ('error' satisfies Message['kind']);
}
