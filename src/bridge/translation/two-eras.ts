import type { Failure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import { metaName, newestRevision } from '../../core/product.js';
import type { JsonObject } from '../../core/text/json.js';
import { memberBytes, withMembers } from '../../core/text/json-splice.js';
import type { MessageClient, ProtocolClient } from '../../mcp/client.js';
import { type Discovery, meansUnknown, newerError, newerRevision } from '../../mcp/eras.js';
import type { Outcome } from '../../mcp/exchange.js';
import type { MessageHost } from '../../mcp/host.js';
import { ownRevision } from '../../mcp/message-headers.js';
import type { Pending, PendingRequests } from '../../mcp/pending.js';
import { isResponse, type MessageShape } from '../../mcp/scan-message.js';
import type { HostPipe } from '../host-pipe.js';
import type { ServerMessages } from '../server-messages.js';
import { noResponse } from '../server-messages.js';
import { HostSide } from './host-side.js';
import {
  errorCode,
  jsonText,
  type MessageText,
  messageText,
  objectIn,
  resultMember,
  stringIn,
  valueIn,
  withExtensions,
} from './message-text.js';
import { metaOf, OlderHost } from './older-host.js';
import { type Reply, ServerConversation } from './server-conversation.js';

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
  /** Those that the login is made by: the host knows nothing of it, and they are declared for it. */
  readonly extensions: JsonObject;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * The way of a host's messages to a server. They pass as they are; only a host that begins with `initialize`, at a server
 * that knows no sessions, is translated. A host of the newer era finds out by `server/discover` which of the two it needs.
 */
export class TwoEras implements Pick<MessageClient, 'request' | 'tell' | 'end' | 'endSession'> {
  readonly #parts: TwoErasParts;
  readonly #host: HostSide;
  /** Messages that pass. */
  readonly #passing: ProtocolClient;
  /** Requests of ours in the newer era, once there are any. */
  #asNewer: ServerConversation | undefined;
  #olderHost: OlderHost | undefined;
  /** Whether the host has begun one. */
  #hasSession = false;

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

  request(given: Uint8Array, scannedAs: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    const { text, message } = withExtensions({ text: given, message: scannedAs }, this.#parts.extensions);
    if (!pending.isModern && pending.method === 'initialize') return this.#initialize(text, message, pending);
    const older = pending.isModern ? undefined : this.#olderHost;
    return older?.request(text, pending) ?? this.#passing.request(text, message, pending);
  }

  tell(text: Uint8Array, message: MessageShape): ReturnType<ProtocolClient['tell']> {
    if (isResponse(message)) {
      // One that comes too late is of no use to a server of the newer era.
      if (this.#host.take({ text, message }) || this.#olderHost !== undefined) return Promise.resolve(undefined);
    } else if (ownRevision(message) === undefined && this.#olderHost !== undefined) {
      this.#olderHost.tell({ text, message });
      return Promise.resolve(undefined);
    } else if (!this.#hasSession && message.method === 'notifications/cancelled') {
      return Promise.resolve(undefined); // of a request of the newer era that has ended
    }
    return this.#passing.tell(text, message);
  }

  /** Gives the host a text that came for that request, which was passed. False if it is not for the host. */
  take(text: Uint8Array, asked: Pending): boolean {
    return this.#passing.take(text, asked);
  }

  /** The host's input has ended. */
  inputEnded(): void {
    this.#host.inputEnded();
  }

  end(reason: Failure): void {
    this.#olderHost?.end();
    this.#passing.end(reason);
    this.#asNewer?.client.end(reason);
  }

  endSession(maxMs: number): Promise<void> {
    return this.#passing.endSession(maxMs);
  }

  /** Most servers take it. One that refuses it may speak the newer era alone. */
  async #initialize(text: Uint8Array, message: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    this.#hasSession = true;
    this.#olderHost?.end();
    this.#olderHost = undefined;
    const outcome = await this.#passing.request(text, message, pending);
    if (outcome?.kind !== 'refused' || !meansUnknown(outcome.status)) return outcome;
    const found = await this.#discover(withMembers(jsonText({}), 0, metaOf(text, newestRevision)));
    if (found === undefined || pending.isCancelled) return outcome;
    const { discovered, revision } = found;
    const { tell } = this.#parts;
    tell('The server speaks the newer protocol without sessions only; what the host says is translated.');
    this.#olderHost = new OlderHost({
      ...this.#parts,
      host: this.#host,
      conversation: this.#newer,
      opening: text,
      discovered,
      meta: metaOf(text, revision),
    });
    this.#olderHost.begin(pending);
    return undefined;
  }

  get #newer(): ServerConversation {
    const { pipe, connect } = this.#parts;
    this.#asNewer ??= new ServerConversation({
      pipe,
      connect: (host, pending) => connect(host, pending, false),
      unasked: (received, asked) => this.#olderHost?.take(received, asked),
    });
    return this.#asNewer;
  }

  /** What the server says of itself in the newer era; undefined where it does not speak it. @throws as `newerRevision` */
  async #discover(
    meta: Uint8Array,
  ): Promise<{ readonly revision: string; readonly discovered: MessageText } | undefined> {
    const { server } = this.#parts;
    const method = 'server/discover';
    const params = withMembers(jsonText({}), 0, { _meta: meta });
    const asked = messageText({ id: `postern-discover-${crypto.randomUUID()}`, method }, { params });
    const reply = await this.#newer.request(asked).catch((failure: unknown) => ({ kind: 'failed', failure }) as const);
    const revision = newerRevision(server, discoveryIn(server, reply));
    if (revision === undefined || reply.kind !== 'response') return undefined;
    const named = metaName('protocolVersion');
    const isRefused = errorCode(reply) === newerError.revisionUnsupported;
    if (isRefused && stringIn(memberBytes(meta, 0, named)) !== revision) {
      return await this.#discover(withMembers(meta, 0, { [named]: jsonText(revision) }));
    }
    return { revision, discovered: reply };
  }
}

function discoveryIn(server: string, reply: Reply | { readonly kind: 'failed'; readonly failure: unknown }): Discovery {
  if (reply.kind === 'failed') return reply;
  if (reply.kind === 'none') return { failure: noResponse(server, 'server/discover', reply.outcome) };
  const { text, message } = reply;
  if (message.kind === 'error') return { error: objectIn(text.subarray(message.errorAt, message.errorEnd)) };
  return { result: { supportedVersions: valueIn(resultMember(reply, 'supportedVersions')) ?? null } };
}
