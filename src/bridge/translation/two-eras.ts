import type { Failure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import { newestRevision } from '../../core/product.js';
import type { JsonObject } from '../../core/text/json.js';
import { asObject } from '../../core/text/json.js';
import { withMembers } from '../../core/text/json-splice.js';
import type { MessageClient, ProtocolClient } from '../../mcp/client.js';
import { type EraMemory, knownRevisions, newerError, textsIn } from '../../mcp/eras.js';
import type { Outcome } from '../../mcp/exchange.js';
import { noCommonRevision, protocolBroken } from '../../mcp/failures.js';
import type { MessageHost } from '../../mcp/host.js';
import { ownRevision } from '../../mcp/message-headers.js';
import type { Pending, PendingRequests } from '../../mcp/pending.js';
import { isResponse, type MessageShape } from '../../mcp/scan-message.js';
import type { HostPipe } from '../host-pipe.js';
import { noResponse } from '../no-response.js';
import type { ServerMessages } from '../server-messages.js';
import { HostSide } from './host-side.js';
import { errorCode, jsonText, type MessageText, messageText, objectIn, resultMember, valueIn } from './message-text.js';
import { metaOf, OlderHost } from './older-host.js';
import { ServerConversation } from './server-conversation.js';

export interface TwoErasParts {
  readonly server: string;
  readonly clock: Clock;
  readonly pipe: HostPipe;
  /** What is written to the host. */
  readonly messages: ServerMessages;
  /** The host's requests. */
  readonly pending: PendingRequests;
  /** A client of the server, with that host. */
  readonly connect: (host: MessageHost, pending: PendingRequests, listens: boolean) => ProtocolClient;
  readonly era: EraMemory;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What `server/discover` has found. */
type Found = { readonly era: 'newer'; readonly discovered: MessageText } | { readonly era: 'older' };

/**
 * The way of a host's messages to a server. They pass as they are where both speak the same era of the protocol, and are
 * translated where not. A host may speak both eras, side by side: each message says which.
 */
export class TwoEras implements Pick<MessageClient, 'request' | 'tell' | 'end' | 'endSession'> {
  readonly #parts: TwoErasParts;
  readonly #host: HostSide;
  /** Messages that pass. */
  readonly #passing: ProtocolClient;
  /** Requests of ours in the newer era, once there are any. */
  #asNewer: ServerConversation | undefined;
  #olderHost: OlderHost | undefined;

  constructor(parts: TwoErasParts) {
    this.#parts = parts;
    const { connect, messages, pending } = parts;
    this.#host = new HostSide(parts);
    this.#passing = connect(messages, pending, true);
  }

  /** The revision that an older host speaks. */
  get revision(): string | undefined {
    return this.#olderHost?.revision ?? this.#passing.revision;
  }

  request(text: Uint8Array, message: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    if (pending.isModern) return this.#passing.request(text, message, pending);
    if (pending.method === 'initialize') return this.#initialize(text, message, pending);
    return this.#olderHost?.request(text, pending) ?? this.#passing.request(text, message, pending);
  }

  tell(text: Uint8Array, message: MessageShape): ReturnType<ProtocolClient['tell']> {
    const isOlder = ownRevision(message) === undefined;
    if (isResponse(message) ? this.#host.take({ text, message }) : isOlder && this.#olderHost !== undefined) {
      this.#olderHost?.tell({ text, message });
      return Promise.resolve(undefined);
    }
    return this.#passing.tell(text, message);
  }

  /** Gives the host a text that came for that request, which was passed. False if it is not for the host. */
  take(text: Uint8Array, asked: Pending): boolean {
    return this.#passing.take(text, asked);
  }

  end(reason: Failure): void {
    this.#olderHost?.end();
    for (const client of this.#clients) client.end(reason);
  }

  async endSession(maxMs: number): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.endSession(maxMs)));
  }

  get #clients(): readonly ProtocolClient[] {
    return [this.#passing, this.#asNewer?.client].filter((one) => one !== undefined);
  }

  /** Most servers take it. One that refuses it may speak the newer era alone. */
  async #initialize(text: Uint8Array, message: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    this.#olderHost?.end();
    this.#olderHost = undefined;
    const outcome = await this.#passing.request(text, message, pending);
    if (outcome === undefined || !isRefusedAsUnknown(outcome)) return outcome;
    const found = await this.#discover(metaOf(text));
    if (found.era === 'older' || pending.isCancelled) return outcome;
    const { discovered } = found;
    const { tell } = this.#parts;
    tell('The server speaks the newer protocol without sessions only; what the host says is translated.');
    this.#olderHost = new OlderHost({
      ...this.#parts,
      host: this.#host,
      conversation: this.#newer,
      opening: text,
      discovered,
    });
    this.#olderHost.begin(pending);
    return undefined;
  }

  get #newer(): ServerConversation {
    const { pipe, connect } = this.#parts;
    this.#asNewer ??= new ServerConversation({
      isNewer: true,
      pipe,
      connect: (host, pending) => connect(host, pending, false),
      unasked: (received, asked) => this.#olderHost?.take(received, asked),
    });
    return this.#asNewer;
  }

  /**
   * Asks the server whether it speaks the newer era: a result that names revisions, or an error that only this era has,
   * says so. Any other response means the older one.
   * @throws Failure for what says nothing of an era: no connection, 401, 403, 5xx; `revision_unknown`
   */
  async #discover(meta: Record<string, Uint8Array | undefined>): Promise<Found> {
    const { server, era } = this.#parts;
    const method = 'server/discover';
    const params = withMembers(jsonText({}), 0, { _meta: withMembers(jsonText({}), 0, meta) });
    const asked = messageText({ id: `postern-discover-${crypto.randomUUID()}`, method }, { params });
    const reply = await this.#newer.request(asked);
    if (reply.kind === 'none') {
      const { outcome } = reply;
      if (outcome === undefined || !(isRefusedAsUnknown(outcome) || outcome.kind === 'empty')) {
        throw noResponse(server, method, outcome);
      }
      await era.learned('older');
      return { era: 'older' };
    }
    const code = errorCode(reply);
    if (code === newerError.headerMismatch || code === newerError.capabilityMissing) {
      throw protocolBroken(server, `it refuses server/discover with the error ${code}`);
    }
    const isNewerError = code === newerError.revisionUnsupported;
    const theirs = isNewerError ? supportedBy(reply) : textsIn(valueIn(resultMember(reply, 'supportedVersions')));
    if (!isNewerError && theirs.length === 0) {
      await era.learned('older');
      return { era: 'older' };
    }
    if (!theirs.includes(newestRevision)) throw noCommonRevision(server, theirs, knownRevisions);
    await era.learned('newer');
    return { era: 'newer', discovered: reply };
  }
}

/** Whether the server refused a request that it may not know; 401 and 403 say nothing of that. */
function isRefusedAsUnknown(outcome: Outcome): boolean {
  if (outcome.kind !== 'refused') return false;
  const { status } = outcome;
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
}

function supportedBy({ text, message }: MessageText): readonly string[] {
  const error: JsonObject = objectIn(text.subarray(message.errorAt, message.errorEnd));
  return textsIn(asObject(error['data'])?.['supported']);
}
