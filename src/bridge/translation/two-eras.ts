import type { Failure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import { metaName, newestRevision } from '../../core/product.js';
import type { JsonObject } from '../../core/text/json.js';
import { memberBytes, withMembers } from '../../core/text/json-splice.js';
import type { MessageClient, ProtocolClient } from '../../mcp/client.js';
import { type Discovery, type Era, type EraMemory, meansUnknown, newerError, newerRevision } from '../../mcp/eras.js';
import type { Outcome } from '../../mcp/exchange.js';
import type { MessageHost } from '../../mcp/host.js';
import { ownRevision } from '../../mcp/message-headers.js';
import type { Pending, PendingRequests } from '../../mcp/pending.js';
import { isResponse, type MessageShape } from '../../mcp/scan-message.js';
import type { HostPipe } from '../host-pipe.js';
import { noResponse } from '../no-response.js';
import type { ServerMessages } from '../server-messages.js';
import { HostSide } from './host-side.js';
import {
  changed,
  errorCode,
  jsonText,
  type MessageText,
  messageText,
  objectIn,
  param,
  resultMember,
  stringIn,
  valueIn,
  withExtensions,
} from './message-text.js';
import { NewerHost } from './newer-host.js';
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
  readonly connect: (
    host: MessageHost,
    pending: PendingRequests,
    listens: boolean,
    reopened?: () => void,
  ) => ProtocolClient;
  readonly era: EraMemory;
  /** Those that the login is made by: the host knows nothing of it, and they are declared for it. */
  readonly extensions: JsonObject;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What `server/discover` has found. */
type Found =
  | { readonly era: 'newer'; readonly revision: string; readonly discovered: MessageText }
  | { readonly era: 'older' };

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
  #newerHost: NewerHost | undefined;
  /** The era that newer messages meet. */
  #era: Era | undefined;
  /** Whether the server itself has said so, since this program runs. */
  #isProven = false;
  #discovering: Promise<Found> | undefined;
  /** Whether the host has begun one. */
  #hasSession = false;

  constructor(parts: TwoErasParts) {
    this.#parts = parts;
    const { connect, messages, pending } = parts;
    this.#host = new HostSide(parts);
    this.#passing = connect(messages, pending, true);
    this.#era = parts.era.known;
  }

  /** The revision that an older host speaks. */
  get revision(): string | undefined {
    return this.#olderHost?.revision ?? this.#passing.revision;
  }

  request(given: Uint8Array, scannedAs: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    const { text, message } = withExtensions({ text: given, message: scannedAs }, this.#parts.extensions);
    if (pending.isModern) {
      if (this.#era === 'newer' && this.#isProven) return this.#passing.request(text, message, pending);
      return this.#newerRequest({ text, message }, pending);
    }
    if (pending.method === 'initialize') return this.#initialize(text, message, pending);
    return this.#olderHost?.request(text, pending) ?? this.#passing.request(text, message, pending);
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
    for (const client of this.#clients) client.end(reason);
  }

  async endSession(maxMs: number): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.endSession(maxMs)));
  }

  get #clients(): readonly ProtocolClient[] {
    return [this.#passing, this.#asNewer?.client, this.#newerHost?.conversation.client].filter(
      (one) => one !== undefined,
    );
  }

  /** Most servers take it. One that refuses it may speak the newer era alone. */
  async #initialize(text: Uint8Array, message: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    this.#hasSession = true;
    this.#olderHost?.end();
    this.#olderHost = undefined;
    const outcome = await this.#passing.request(text, message, pending);
    if (outcome === undefined || !isRefusedAsUnknown(outcome)) return outcome;
    const found = await this.#discover(withMembers(jsonText({}), 0, metaOf(text, newestRevision)));
    if (found.era === 'older' || pending.isCancelled) return outcome;
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

  /** One of the newer era, at a server that has not shown yet that it speaks it, or that does not. */
  async #newerRequest(request: MessageText, pending: Pending): Promise<Outcome | undefined> {
    const { text, message } = request;
    const isNew = this.#era === undefined;
    const found = isNew ? await this.#discover(param(text, '_meta') ?? jsonText({})) : undefined;
    if (pending.isCancelled) return undefined;
    if (found?.era === 'newer' && message.method === 'server/discover') {
      this.#host.respond(pending, changed(found.discovered.text, { id: pending.idBytes }));
      return undefined;
    }
    return this.#era === 'newer' ? await this.#pass(request, pending) : await this.#translate(request, pending);
  }

  /** What is kept of a server may be out of date: one that does not know the request is asked. */
  async #pass(request: MessageText, pending: Pending): Promise<Outcome | undefined> {
    const { text, message } = request;
    const outcome = await this.#passing.request(text, message, pending);
    if (this.#isProven || outcome === undefined || !isRefusedAsUnknown(outcome)) return outcome;
    const found = await this.#discover(param(text, '_meta') ?? jsonText({}));
    return found.era === 'newer' ? outcome : await this.#translate(request, pending);
  }

  async #translate(request: MessageText, pending: Pending): Promise<Outcome | undefined> {
    const { server } = this.#parts;
    const opened = await this.#older.open(request.text);
    if (opened === undefined) return await this.#older.request(request, pending);
    const { refused } = opened;
    if (!this.#isProven && refused !== undefined && isRefusedAsUnknown(refused)) {
      const found = await this.#discover(param(request.text, '_meta') ?? jsonText({}));
      if (found.era === 'newer') return await this.#pass(request, pending);
    }
    throw noResponse(server, 'initialize', refused);
  }

  get #older(): NewerHost {
    const { pipe, connect, tell } = this.#parts;
    if (this.#newerHost === undefined) {
      tell('The server speaks the older protocol with sessions only; what the host says is translated.');
      this.#newerHost = new NewerHost({
        ...this.#parts,
        host: this.#host,
        converse: (unasked, reopened) =>
          new ServerConversation({
            ...{ isNewer: false, pipe, unasked },
            connect: (host, pending) => connect(host, pending, true, reopened),
          }),
      });
    }
    return this.#newerHost;
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

  /** Asks the server whether it speaks the newer era. @throws as `newerRevision` */
  async #discover(meta: Uint8Array): Promise<Found> {
    this.#discovering ??= this.#ask(meta).finally(() => {
      this.#discovering = undefined;
    });
    const found = await this.#discovering;
    this.#era = found.era;
    this.#isProven = true;
    await this.#parts.era.learned(found.era);
    return found;
  }

  async #ask(meta: Uint8Array): Promise<Found> {
    const { server } = this.#parts;
    const method = 'server/discover';
    const params = withMembers(jsonText({}), 0, { _meta: meta });
    const asked = messageText({ id: `postern-discover-${crypto.randomUUID()}`, method }, { params });
    const reply = await this.#newer.request(asked).catch((failure: unknown) => ({ kind: 'failed', failure }) as const);
    const revision = newerRevision(server, discoveryIn(server, reply));
    if (revision === undefined || reply.kind !== 'response') return { era: 'older' };
    const named = metaName('protocolVersion');
    const isRefused = errorCode(reply) === newerError.revisionUnsupported;
    if (isRefused && stringIn(memberBytes(meta, 0, named)) !== revision) {
      return await this.#ask(withMembers(meta, 0, { [named]: jsonText(revision) }));
    }
    return { era: 'newer', revision, discovered: reply };
  }
}

function discoveryIn(server: string, reply: Reply | { readonly kind: 'failed'; readonly failure: unknown }): Discovery {
  if (reply.kind === 'failed') return reply;
  if (reply.kind === 'none') {
    const { outcome } = reply;
    const isWhole = outcome?.kind === 'stream' && outcome.error === undefined;
    return { failure: noResponse(server, 'server/discover', isWhole ? undefined : outcome) };
  }
  const { text, message } = reply;
  if (message.kind === 'error') return { error: objectIn(text.subarray(message.errorAt, message.errorEnd)) };
  return { result: { supportedVersions: valueIn(resultMember(reply, 'supportedVersions')) ?? null } };
}

/** Whether the server refused a request that it may not know; 401 and 403 say nothing of that. */
function isRefusedAsUnknown(outcome: Outcome): boolean {
  return outcome.kind === 'refused' && meansUnknown(outcome.status);
}
