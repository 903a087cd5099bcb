import type { JsonObject } from '../../core/text/json.js';
import { protocolBroken } from '../../mcp/failures.js';
import type { Pending, PendingRequests } from '../../mcp/pending.js';
import { hostRefusedInput } from '../failures.js';
import type { ServerMessages } from '../server-messages.js';
import { bytesOf, type MessageText, messageOf } from './message-text.js';

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
  readonly #asked = new Map<string, (response: Uint8Array | undefined) => void>();
  #isDeaf = false;

  constructor(parts: HostSideParts) {
    this.#parts = parts;
  }

  /** The response to a request of the host's: its `result`, or its `error`. @throws Failure `protocol_broken` */
  respond(request: Pending, response: JsonObject): void {
    const { server, messages, pending } = this.#parts;
    if (!pending.has(request) || request.isCancelled) return;
    const start = Buffer.from('{"jsonrpc":"2.0","id":');
    const text = Buffer.concat([start, request.idBytes, Buffer.from(','), bytesOf(response).subarray(1)]);
    const incoming = messages.read(text, request);
    if (incoming === undefined) throw protocolBroken(server, 'it sent something that is no JSON-RPC message');
    pending.settle(request);
    messages.write(incoming);
  }

  /** What the host gets without having asked. */
  send({ text }: Pick<MessageText, 'text'>): void {
    const incoming = this.#parts.messages.read(text, undefined);
    if (incoming !== undefined) this.#parts.messages.write(incoming);
  }

  /** The host's input has ended: it answers no question any more. */
  inputEnded(): void {
    this.#isDeaf = true;
    for (const end of [...this.#asked.values()]) end(undefined);
  }

  /**
   * Asks the host, one of the older era. Its response.
   * @throws Failure `not_translated` where its input has ended; the signal's reason
   */
  async ask(method: string, params: JsonObject | undefined, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (this.#asked.size >= maxAsked) throw hostRefusedInput(method, 'it has too many questions to answer');
    const id = `postern-${crypto.randomUUID()}`;
    const key = `"${id}`;
    const end = () => this.#asked.get(key)?.(undefined);
    signal.addEventListener('abort', end, { once: true });
    let response: Uint8Array | undefined;
    try {
      response = await new Promise<Uint8Array | undefined>((resolve) => {
        this.#asked.set(key, resolve);
        this.send(messageOf({ id, method, ...(params && { params }) }));
        if (this.#isDeaf) resolve(undefined);
      });
    } finally {
      this.#asked.delete(key);
      signal.removeEventListener('abort', end);
    }
    if (response !== undefined) return response;
    const cancelled = { requestId: id, reason: 'The request that it was asked for has ended.' };
    this.send(messageOf({ method: 'notifications/cancelled', params: cancelled }));
    signal.throwIfAborted();
    throw hostRefusedInput(method, 'its input has ended');
  }

  /** Takes a response of the host's, if it is one to `ask`. */
  take({ text, message }: MessageText): boolean {
    const taken = this.#asked.get(message.id ?? '');
    taken?.(text);
    return taken !== undefined;
  }
}
