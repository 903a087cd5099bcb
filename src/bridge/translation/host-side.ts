import { protocolBroken } from '../../mcp/failures.js';
import type { Pending, PendingRequests } from '../../mcp/pending.js';
import { hostRefusedInput } from '../failures.js';
import type { ServerMessages } from '../server-messages.js';
import { type Members, type MessageText, messageText } from './message-text.js';

interface HostSideParts {
  readonly server: string;
  readonly messages: ServerMessages;
  /** The host's requests. */
  readonly pending: PendingRequests;
}

/** Requests to the host that wait for its response: of all translated requests together. */
const maxAsked = 1_000;

/** The host, as translated messages reach it: filtered and written like those that pass. */
export class HostSide {
  readonly #parts: HostSideParts;
  readonly #asked = new Map<string, (response: MessageText | undefined) => void>();
  #isDeaf = false;

  constructor(parts: HostSideParts) {
    this.#parts = parts;
  }

  /** The response to a request of the host's. @throws Failure `protocol_broken` */
  respond(request: Pending, text: Uint8Array): void {
    const { server, messages, pending } = this.#parts;
    if (!pending.has(request) || request.isCancelled) return;
    const incoming = messages.read(text, request);
    if (incoming === undefined) throw protocolBroken(server, 'it sent something that is no JSON-RPC message');
    pending.settle(request);
    messages.write(incoming);
  }

  /** What the host gets without having asked. */
  send(text: Uint8Array): void {
    const incoming = this.#parts.messages.read(text, undefined);
    if (incoming !== undefined) this.#parts.messages.write(incoming);
  }

  /** The host's input has ended: it answers no question any more. */
  inputEnded(): void {
    this.#isDeaf = true;
    for (const end of [...this.#asked.values()]) end(undefined);
  }

  /**
   * Asks the host, one of the older era. Its response; undefined once that does not count any more.
   * @throws Failure `not_translated` where its input has ended
   */
  async ask(method: string, members: Members, signal: AbortSignal): Promise<MessageText | undefined> {
    if (signal.aborted || this.#asked.size >= maxAsked) return undefined;
    const id = `postern-${crypto.randomUUID()}`;
    const key = `"${id}`;
    let isOver = false;
    const end = () => this.#asked.get(key)?.(undefined);
    signal.addEventListener('abort', end, { once: true });
    try {
      const response = await new Promise<MessageText | undefined>((resolve) => {
        this.#asked.set(key, (response) => {
          isOver = response !== undefined;
          resolve(response);
        });
        this.send(messageText({ id, method }, members).text);
        if (this.#isDeaf) resolve(undefined);
      });
      if (response === undefined && this.#isDeaf) throw hostRefusedInput(method, 'its input has ended');
      return response;
    } finally {
      this.#asked.delete(key);
      signal.removeEventListener('abort', end);
      const params = { requestId: id, reason: 'The request that it was asked for has ended.' };
      if (!isOver) this.send(messageText({ method: 'notifications/cancelled', params }).text);
    }
  }

  /** Takes a response of the host's, if it is one to `ask`. */
  take(response: MessageText): boolean {
    const taken = this.#asked.get(response.message.id ?? '');
    taken?.(response);
    return taken !== undefined;
  }
}
