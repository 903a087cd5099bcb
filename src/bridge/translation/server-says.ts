import { memberBytes, withMembers } from '../../core/text/json-splice.js';
import { mayAsk } from '../../mcp/eras.js';
import { namedError } from '../../mcp/rpc-error.js';
import type { AskedRequest } from './asked-request.js';
import { changeMethods } from './change-stream.js';
import type { HostSide } from './host-side.js';
import { capabilityFor, isOffered } from './input-rounds.js';
import type { Listeners } from './listeners.js';
import {
  jsonText,
  type MessageText,
  param,
  paramsIn,
  resultText,
  scanned,
  stringIn,
  withParams,
} from './message-text.js';
import type { ServerConversation } from './server-conversation.js';

/** From the least to the most important one. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** A change says little. In bytes. */
const maxChange = 256 * 1024;

/** Responses that are on their way at the same time; a server that asks faster than it listens gets no more. */
const maxToServer = 100;

/** Notifications that the newer era has not. */
const gone = /^notifications\/(?:elicitation\/complete|tasks\/|cancelled$)/;

/** What a server of the older era says unasked, for a host of the newer one. */
export class ServerSays {
  readonly #underWay: ReadonlyMap<string, AskedRequest>;
  readonly #host: HostSide;
  readonly #conversation: ServerConversation;
  readonly #listeners: Listeners;
  #underWayToServer = 0;

  /** @param underWay The requests at the server, by their ids there. */
  constructor(
    underWay: ReadonlyMap<string, AskedRequest>,
    host: HostSide,
    conversation: ServerConversation,
    listeners: Listeners,
  ) {
    this.#underWay = underWay;
    this.#host = host;
    this.#conversation = conversation;
    this.#listeners = listeners;
  }

  /** @param asked The id of the request that it came for. */
  take(received: MessageText, asked: string | undefined): void {
    const { method, kind } = received.message;
    const request = this.#underWay.get(asked ?? '');
    if (kind === 'request') this.#question(received, request);
    else if (changeMethods.has(method)) {
      if (received.text.byteLength <= maxChange) this.#listeners.take(received);
    } else if (method === 'notifications/message') this.#logged(received, request);
    else if (method === 'notifications/progress') this.#progressed(received);
    else if (method === 'notifications/cancelled') this.#withdrawn(received);
    else if (request?.isAwaited && !gone.test(method)) this.#host.send(received.text);
  }

  #question(
    { text, message: { method, idBytes: [from, to] = [0, 0] } }: MessageText,
    cause: AskedRequest | undefined,
  ): void {
    const idBytes = text.subarray(from, to);
    const request = cause ?? this.#onlyOne();
    const params = paramsIn(text);
    const mode = stringIn(params && memberBytes(params, 0, 'mode'));
    const isMeant = request !== undefined && mayAsk.has(request.method) && Object.hasOwn(capabilityFor, method);
    if (method === 'ping') this.#tell(resultText(idBytes, jsonText({})));
    else if (!isMeant || !isOffered(request.capabilities, method, mode) || !request.hasRoom(text.byteLength)) {
      const why = 'The client speaks 2026-07-28, and can be asked only for a request that has offered it.';
      this.#tell(namedError(idBytes, jsonText({ code: -32601, message: why })));
    } else request.ask({ idBytes, method, params: params && withMembers(params, 0, { elicitationId: undefined }) });
  }

  /** What comes on the session's own stream names no request: it is clear only where there is one. */
  #onlyOne(): AskedRequest | undefined {
    const mayBe = [...this.#underWay.values()].filter(({ method }) => mayAsk.has(method));
    return mayBe.length === 1 ? mayBe[0] : undefined;
  }

  /** Only requests that name a level hear what is logged. */
  #logged({ text }: MessageText, cause: AskedRequest | undefined): void {
    const level = logLevels.indexOf(stringIn(param(text, 'level')) ?? '');
    const requests = cause === undefined ? [...this.#underWay.values()] : [cause];
    const isWanted = requests.some((one) => one.isAwaited && one.level !== undefined && one.level <= level);
    if (isWanted) this.#host.send(text);
  }

  /** A host that has come back may have named another token. */
  #progressed({ text }: MessageText): void {
    const token = param(text, 'progressToken');
    const request = [...this.#underWay.values()].find((one) => one.isAwaited && isSame(one.token, token));
    const now = request?.tokenNow;
    if (now !== undefined) this.#host.send(isSame(now, token) ? text : withParams(text, { progressToken: now }));
  }

  /** The server does not ask any more. */
  #withdrawn({ text }: MessageText): void {
    const id = param(text, 'requestId');
    for (const { questions } of this.#underWay.values()) {
      for (const [key, { idBytes }] of questions) if (isSame(idBytes, id)) questions.delete(key);
    }
  }

  #tell(text: Uint8Array): void {
    if (this.#underWayToServer >= maxToServer) return;
    this.#underWayToServer += 1;
    const sent = this.#conversation.client.tell(text, scanned(text).message).catch(() => undefined);
    void sent.finally(() => {
      this.#underWayToServer -= 1;
    });
  }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}
