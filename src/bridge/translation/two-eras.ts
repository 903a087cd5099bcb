import type { Failure } from '../../core/failure.js';
import { interrupted } from '../../core/failures.js';
import type { Clock } from '../../core/ports.js';
import { metaName } from '../../core/product.js';
import { asObject, type JsonObject } from '../../core/text/json.js';
import type { MessageClient, ProtocolClient } from '../../mcp/client.js';
import { meansUnknown } from '../../mcp/eras.js';
import type { Outcome } from '../../mcp/exchange.js';
import { ownRevision } from '../../mcp/headers/message-headers.js';
import type { MessageHost } from '../../mcp/inbound.js';
import { type MessageText, messageOf, objectOf } from '../../mcp/messages.js';
import type { Pending, PendingRequests } from '../../mcp/pending.js';
import { isResponse, type MessageShape } from '../../mcp/scan-message.js';
import type { HostPipe } from '../host-pipe.js';
import type { ServerMessages } from '../server-messages.js';
import { OlderHost } from './older-host.js';

interface TwoErasParts {
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
  /** Messages that pass. */
  readonly #passing: ProtocolClient;
  #olderHost: OlderHost | undefined;
  /** Whether the host has begun one. */
  #hasSession = false;

  constructor(parts: TwoErasParts) {
    this.#parts = parts;
    const { connect, messages, pending } = parts;
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
      if (this.#parts.messages.take({ text, message }) || this.#olderHost !== undefined)
        return Promise.resolve(undefined);
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
    this.#parts.messages.inputEnded();
  }

  end(reason: Failure): void {
    this.#olderHost?.end(reason);
    this.#passing.end(reason);
  }

  endSession(maxMs: number): Promise<void> {
    return this.#passing.endSession(maxMs);
  }

  /** Most servers take it. One that refuses it may speak the newer era alone. */
  async #initialize(text: Uint8Array, message: MessageShape, pending: Pending): Promise<Outcome | undefined> {
    this.#hasSession = true;
    this.#olderHost?.end(interrupted());
    this.#olderHost = undefined;
    const outcome = await this.#passing.request(text, message, pending);
    if (outcome?.kind !== 'refused' || !meansUnknown(outcome.status)) return outcome;
    const { connect, tell } = this.#parts;
    const olderHost = new OlderHost(
      { ...this.#parts, host: this.#parts.messages, connect: (host, own) => connect(host, own, false) },
      asObject(objectOf(text)?.['params']) ?? {},
    );
    this.#olderHost = olderHost;
    const isNewer = await olderHost.begin(pending).catch((error: unknown) => {
      this.#olderHost = undefined;
      throw error;
    });
    if (isNewer) tell('The server speaks the newer protocol without sessions only; what the host says is translated.');
    else this.#olderHost = undefined;
    return isNewer ? undefined : outcome;
  }
}

/** With these extensions among the capabilities that it declares, if it declares any. */
function withExtensions(given: MessageText, extensions: JsonObject): MessageText {
  const opens = given.message.method === 'initialize';
  const isPlain = Object.keys(extensions).length === 0 || !(opens || ownRevision(given.message) !== undefined);
  const object = isPlain ? undefined : objectOf(given.text);
  const params = asObject(object?.['params']);
  const holder = opens ? params : asObject(params?.['_meta']);
  const name = opens ? 'capabilities' : metaName('clientCapabilities');
  const declared = asObject(holder?.[name]);
  if (object === undefined || declared === undefined) return given;
  const all = { ...declared, extensions: { ...asObject(declared['extensions']), ...extensions } };
  const changed = { ...holder, [name]: all };
  return messageOf({ ...object, params: opens ? changed : { ...params, _meta: changed } });
}
