import { withoutMark } from '../../core/text/bytes.js';
import type { ProtocolClient } from '../../mcp/client.js';
import type { Outcome } from '../../mcp/exchange.js';
import type { Incoming, MessageHost } from '../../mcp/host.js';
import { type Pending, PendingRequests } from '../../mcp/pending.js';
import { namedError } from '../../mcp/rpc-error.js';
import { isResponse, type MessageShape, scanText } from '../../mcp/scan-message.js';
import type { HostPipe } from '../host-pipe.js';
import { type MessageText, scanned } from './message-text.js';

/** What came of a request: its response, or how it ended without one; neither where it was cancelled. */
export type Reply =
  | ({ readonly kind: 'response' } & MessageText)
  | { readonly kind: 'none'; readonly outcome: Outcome | undefined };

interface ServerConversationParts {
  readonly pipe: Pick<HostPipe, 'isFull' | 'whenDrained'>;
  /** The client whose host this is. */
  readonly connect: (host: MessageHost, pending: PendingRequests) => ProtocolClient;
  /** Takes what is no response. @param asked The id, as in `MessageShape`, of the request that it came for */
  readonly unasked: (received: MessageText, asked: string | undefined) => void;
}

interface Received extends Incoming {
  readonly received: MessageText;
  readonly asked: string | undefined;
}

/** Requests of the bridge’s own to a server of the newer era: their responses come back as the bytes that they are. */
export class ServerConversation implements MessageHost {
  readonly keepsTexts = true;
  readonly client: ProtocolClient;
  readonly #parts: ServerConversationParts;
  readonly #pending = new PendingRequests();
  readonly #arrived = new Map<string, (received: MessageText) => void>();

  constructor(parts: ServerConversationParts) {
    this.#parts = parts;
    this.client = parts.connect(this, this.#pending);
  }

  /**
   * Sends one request, whose id is unlike any other that is under way.
   * @param signal Ends its exchange.
   * @throws Failure as the client's `request`
   */
  async request({ text, message }: MessageText, signal?: AbortSignal): Promise<Reply> {
    const { id, idBytes = [0, 0], method } = message;
    const own = { id: id ?? '', idBytes: text.subarray(...idBytes), method, isModern: true };
    const pending = this.#pending.add(own);
    if (pending === undefined) throw new Error('each request has an id of its own');
    const arrived = new Promise<Reply>((resolve) => {
      this.#arrived.set(pending.id, (received) => resolve({ kind: 'response', ...received }));
      signal?.addEventListener('abort', () => resolve({ kind: 'none', outcome: undefined }), { once: true });
    });
    try {
      if (signal?.aborted) return await arrived;
      const ended = this.client.request(text, message, pending).then((outcome) => {
        // Without an outcome the response has come, or nobody waits for it.
        return outcome === undefined ? arrived : replyIn(outcome, pending);
      });
      return await Promise.race([arrived, ended]);
    } finally {
      pending.isCancelled = signal?.aborted === true;
      this.#pending.settle(pending);
      this.#arrived.delete(pending.id);
      if (pending.isCancelled) pending.exchange?.abort(undefined);
    }
  }

  read(given: Uint8Array, asked: Pending | undefined): Received | undefined {
    const text = withoutMark(given);
    const found = scanText(text);
    const [message] = typeof found === 'string' ? [] : found.messages;
    if (message === undefined) return undefined;
    if (asked !== undefined && message.kind === 'error' && message.id === undefined) {
      return this.read(namedError(asked.idBytes, text.subarray(message.errorAt, message.errorEnd)), undefined);
    }
    return { text, messages: [message], received: { text, message }, asked: asked?.id };
  }

  write({ received, asked }: Received): void {
    const { message } = received;
    if (isResponse(message)) this.#arrived.get(message.id ?? '')?.(received);
    else this.#parts.unasked(received, asked);
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
}

/** A response may be the body of a refusal, and may not name the request. */
function replyIn(outcome: Outcome, pending: Pending): Reply {
  const found = outcome.kind === 'refused' ? responseIn(outcome.body) : undefined;
  if (found === undefined || outcome.kind !== 'refused') return { kind: 'none', outcome };
  if (found.id === pending.id) return { kind: 'response', text: outcome.body, message: found };
  if (found.id !== undefined || found.kind !== 'error') return { kind: 'none', outcome };
  return {
    kind: 'response',
    ...scanned(namedError(pending.idBytes, outcome.body.subarray(found.errorAt, found.errorEnd))),
  };
}

function responseIn(body: Uint8Array): MessageShape | undefined {
  const found = body.byteLength === 0 ? 'not_json' : scanText(body);
  const message = typeof found === 'string' ? undefined : found.messages[0];
  return message !== undefined && isResponse(message) ? message : undefined;
}
