import type { Clock } from '../core/ports.js';
import { asObject, type JsonObject, parseObject, stringField } from '../core/text/json.js';
import { within } from '../core/time.js';
import type { MessageClient } from '../mcp/client.js';
import { ownRevision } from '../mcp/headers/message-headers.js';
import {
  filterTools,
  type KnownVerdict,
  type Verdict,
  validate,
  validateAsking,
} from '../mcp/lending/tool-messages.js';
import type { ToolPolicy } from '../mcp/lending/tool-policy.js';
import { messageLimits, messageOf } from '../mcp/messages.js';
import type { PendingRequests } from '../mcp/pending.js';

/** How long the server may take to list its tools before a call, in milliseconds. */
const listMs = 30_000;

/** The tools that a host may have of a server: what it asks is validated, and what it gets is filtered. */
export class LentTools {
  readonly #policy: ToolPolicy;
  readonly #pending: PendingRequests;
  readonly #clock: Clock;
  /** Ids of requests of ours, and their results. */
  readonly #own = new Map<string, JsonObject | undefined>();
  #count = 0;

  constructor(policy: ToolPolicy, pending: PendingRequests, clock: Clock) {
    this.#policy = policy;
    this.#pending = pending;
    this.#clock = clock;
  }

  /** @param text One message of the host. */
  validate(text: Uint8Array): Verdict {
    return validate(this.#policy, text);
  }

  /** The same, where the server is asked first for what is not known. @throws Failure of the client */
  validateKnown(text: Uint8Array, client: Pick<MessageClient, 'request'>): Promise<KnownVerdict> {
    return validateAsking(this.#policy, text, (params) => this.#page(client, params), this.#clock.monotonic());
  }

  /** A text of the server, as the host may have it; undefined for what can be read in more than one way. */
  filtered(text: Uint8Array): Uint8Array | undefined {
    const asked = (id: string) => {
      const key = id.startsWith('"') ? `"${JSON.parse(id)}` : id;
      return this.#pending.find(key)?.method === 'tools/list';
    };
    const filtered = filterTools(this.#policy, text, asked);
    if (this.#own.size > 0 && filtered !== undefined) this.#noteResult(text);
    return filtered;
  }

  /** Is it the response to a request of ours, which the host has not sent? */
  isOwn(id: string | undefined): boolean {
    return id !== undefined && this.#own.has(id);
  }

  #noteResult(text: Uint8Array): void {
    const message = parseObject(text, messageLimits);
    const id = message === undefined ? undefined : `"${stringField(message, 'id') ?? ''}`;
    if (message === undefined || id === undefined || !this.#own.has(id)) return;
    this.#own.set(id, asObject(message['result']));
  }

  /** @returns the result, if there is one */
  async #page(client: Pick<MessageClient, 'request'>, params: JsonObject): Promise<JsonObject | undefined> {
    this.#count += 1;
    const id = `postern-tools-${this.#count}-${crypto.randomUUID()}`;
    const { text, message } = messageOf({ id, method: 'tools/list', params });
    if (message.id === undefined) return undefined;
    const isModern = ownRevision(message) !== undefined;
    const own = { id: message.id, idBytes: Buffer.from(JSON.stringify(id)), method: message.method, isModern };
    const pending = this.#pending.add(own);
    if (pending === undefined) return undefined;
    this.#own.set(own.id, undefined);
    try {
      await within(this.#clock, listMs, client.request(text, message, pending));
      const result = this.#own.get(own.id);
      return result;
    } finally {
      this.#pending.settle(pending);
      this.#own.delete(own.id);
    }
  }
}
