import type { Clock } from '../../core/ports.js';
import { metaName, newestRevision } from '../../core/product.js';
import type { JsonObject } from '../../core/text/json.js';
import { openBrace } from '../../core/text/json-scan.js';
import { memberBytes, membersOf, withMembers } from '../../core/text/json-splice.js';
import { mayAsk } from '../../mcp/eras.js';
import type { Outcome } from '../../mcp/exchange.js';
import type { Pending } from '../../mcp/pending.js';
import { namedError } from '../../mcp/rpc-error.js';
import { notTranslated } from '../failures.js';
import { AskedRequest, fingerprint, inputRequired, type Turn } from './asked-request.js';
import { HeldRequests } from './held-requests.js';
import type { HostSide } from './host-side.js';
import { Listeners } from './listeners.js';
import {
  changed,
  jsonText,
  type MessageText,
  messageText,
  objectIn,
  param,
  resultMember,
  resultText,
  scanned,
  stringIn,
  withParams,
} from './message-text.js';
import { OlderSession } from './older-session.js';
import { areAccepted, pagesIn } from './pages-first.js';
import type { ServerConversation } from './server-conversation.js';
import { logLevels, ServerSays } from './server-says.js';

const rpc = { invalidParams: -32602, unknownMethod: -32601, revisionUnsupported: -32022 } as const;

/** What the newer era has not, and the older one means otherwise. */
const unknownMethods =
  /^(?:ping|initialize|logging\/setLevel|resources\/(?:un)?subscribe|tasks\/(?:get|list|result|cancel|update))$/;

/** Results that say how long they may be kept: an older server says nothing, so they may not. */
const cacheable: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** A response that came while nobody waited is kept up to this size, in bytes. */
const maxKept = 1024 * 1024;

interface NewerHostParts {
  readonly server: string;
  readonly clock: Clock;
  readonly host: HostSide;
  readonly signal: AbortSignal;
  /** A conversation with the server in the older era. */
  readonly converse: (
    unasked: (received: MessageText, asked: string | undefined) => void,
    reopened: () => void,
  ) => ServerConversation;
}

/** A host whose requests say all by themselves, at a server that wants a session. */
export class NewerHost {
  readonly conversation: ServerConversation;
  readonly #parts: NewerHostParts;
  readonly #session: OlderSession;
  readonly #listeners: Listeners;
  readonly #held: HeldRequests;
  /** At the server, by the ids that they have there. */
  readonly #underWay = new Map<string, AskedRequest>();
  readonly #says: ServerSays;
  #count = 0;

  constructor(parts: NewerHostParts) {
    this.#parts = parts;
    const { server, clock, signal, host, converse } = parts;
    this.conversation = converse(
      (received, asked) => this.#says.take(received, asked),
      () => {
        this.#session.reopened();
        void this.#listeners.followAgain();
      },
    );
    this.#session = new OlderSession(server, this.conversation);
    this.#listeners = new Listeners(host, this.conversation);
    this.#held = new HeldRequests(clock, signal, (request) => this.#cancel(request));
    this.#says = new ServerSays(this.#underWay, host, this.conversation, this.#listeners);
  }

  /** Opens the session for that request of the host, if it is not open. How the server refused, if it did. */
  open(text: Uint8Array): ReturnType<OlderSession['open']> {
    return this.#session.open(text);
  }

  /** @throws as the client's `request`; Failure `not_translated` */
  async request({ text, message }: MessageText, pending: Pending): Promise<Outcome | undefined> {
    const { method, params } = message;
    if (params.revision !== newestRevision) {
      const data = { supported: [newestRevision], requested: params.revision ?? '' };
      return this.#refuse(pending, rpc.revisionUnsupported, 'This revision is not spoken here.', data);
    }
    if (method === 'server/discover') {
      return this.#respond(pending, resultText(pending.idBytes, this.#session.discovered(newestRevision)));
    }
    if (method === 'subscriptions/listen') {
      return await this.#listeners.listen(text, pending, this.#session.capabilities);
    }
    if (unknownMethods.test(method)) return this.#refuse(pending, rpc.unknownMethod, 'There is no such method.');
    const isRepeated = param(text, 'requestState') !== undefined || param(text, 'inputResponses') !== undefined;
    if (!isRepeated) return await this.#wait(await this.#begin(text, method), text, pending);
    const state = stringIn(param(text, 'requestState')) ?? '';
    const held = this.#held.take(state, await fingerprint(method, text));
    if (held === undefined) {
      const why = 'The requestState is of no request like this that waits here: begin the request anew without it.';
      return this.#refuse(pending, rpc.invalidParams, why);
    }
    if (held.pagesFirst !== undefined) return await this.#afterPages(held, held.pagesFirst, text, pending);
    held.tokenNow = memberBytes(param(text, '_meta') ?? jsonText({}), 0, 'progressToken');
    this.#give(held, param(text, 'inputResponses'));
    return await this.#wait(held, text, pending);
  }

  /** The pages were opened: the request goes out anew. */
  async #afterPages(
    { capabilities }: AskedRequest,
    error: MessageText,
    text: Uint8Array,
    pending: Pending,
  ): Promise<Outcome | undefined> {
    if (!areAccepted(param(text, 'inputResponses'), error, capabilities)) {
      return this.#respond(pending, changed(error.text, { id: pending.idBytes }));
    }
    const first = withParams(text, { inputResponses: undefined, requestState: undefined });
    return await this.#wait(await this.#begin(first, pending.method), text, pending);
  }

  /** Sends it to the server, in the older form. */
  async #begin(text: Uint8Array, method: string): Promise<AskedRequest> {
    const meta = param(text, '_meta') ?? jsonText({});
    const said = (name: Parameters<typeof metaName>[0]) => memberBytes(meta, 0, metaName(name));
    const level = stringIn(said('logLevel'));
    if (level !== undefined && logLevels.includes(level)) await this.#session.log(level);
    const own = ['protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel'] as const;
    const others = withMembers(meta, 0, Object.fromEntries(own.map((name) => [metaName(name), undefined])));
    const isEmpty = [...membersOf(others, 0)].length === 0;
    const sent = withParams(text, { _meta: isEmpty ? undefined : others });
    const request = new AskedRequest({
      method,
      size: sent.byteLength,
      capabilities: objectIn(said('clientCapabilities')),
      level: level === undefined ? undefined : logLevels.indexOf(level),
      token: memberBytes(meta, 0, 'progressToken'),
    });
    this.#send(request, sent);
    return request;
  }

  #send(request: AskedRequest, text: Uint8Array): void {
    this.#count += 1;
    request.id = String(this.#count);
    this.#underWay.set(request.id, request);
    const { signal } = request.ending;
    const sent = scanned(changed(text, { id: Buffer.from(request.id) }));
    void this.conversation
      .request(sent, signal)
      .catch((error: unknown) => ({ kind: 'failed', error }) as const)
      .then((end) => {
        this.#underWay.delete(request.id);
        const isLarge = end.kind === 'response' && !request.isAwaited && end.text.byteLength > maxKept;
        const why = 'the response came while the program had not come back, and is too large to be kept';
        request.finish(isLarge ? { kind: 'failed', error: notTranslated(why) } : end);
      });
  }

  /** Until the host's request has its response, or is cancelled. */
  async #wait(request: AskedRequest, text: Uint8Array, pending: Pending): Promise<Outcome | undefined> {
    pending.exchange = { abort: () => this.#cancel(request), isRefused: false };
    if (pending.isCancelled) this.#cancel(request);
    const turn: Turn = await request.next();
    switch (turn.kind) {
      case 'cancelled':
        return undefined;
      case 'failed':
        throw turn.error;
      case 'none':
        return turn.outcome;
      case 'asks':
        return await this.#ask(request, request.questions, text, pending);
      case 'response': {
        const pages = mayAsk.has(request.method) ? pagesIn(turn, request.capabilities) : new Map();
        if (pages.size === 0)
          return this.#respond(pending, changed(newerForm(turn, request.method), { id: pending.idBytes }));
        request.pagesFirst = turn;
        return await this.#ask(request, pages, text, pending);
      }
    }
  }

  async #ask(
    request: AskedRequest,
    questions: Parameters<typeof inputRequired>[1],
    text: Uint8Array,
    pending: Pending,
  ): Promise<undefined> {
    const state = this.#held.hold(request, await fingerprint(request.method, text));
    this.#respond(pending, inputRequired(pending.idBytes, questions, state));
  }

  /** Gives the server what the host has brought; what it has not brought is asked again. */
  #give(request: AskedRequest, responses: Uint8Array | undefined): void {
    for (const [key, { idBytes }] of [...request.questions]) {
      const response = responses && memberBytes(responses, 0, key);
      if (response?.[0] !== openBrace) continue;
      request.questions.delete(key);
      const { text, message } = scanned(resultText(idBytes, response));
      // The result may come before the server has taken this: it is waited for already.
      this.conversation.client.tell(text, message).then(
        (refused) => refused && request.finish({ kind: 'none', outcome: refused }),
        (error: unknown) => request.finish({ kind: 'failed', error }),
      );
    }
  }

  /** Nobody waits for it any more: the server is told. */
  #cancel(request: AskedRequest): void {
    if (request.hasEnded) return;
    request.finish({ kind: 'cancelled' });
    request.questions.clear();
    request.ending.abort();
    const params = { requestId: Number(request.id), reason: 'The program has cancelled the request.' };
    const { text, message } = messageText({ method: 'notifications/cancelled', params });
    void this.conversation.client.tell(text, message).catch(() => undefined);
  }

  #respond(pending: Pending, text: Uint8Array): undefined {
    this.#parts.host.respond(pending, text);
  }

  #refuse(pending: Pending, code: number, message: string, data?: JsonObject): undefined {
    const error = jsonText({ code, message, ...(data && { data }) });
    this.#parts.host.respond(pending, namedError(pending.idBytes, error));
  }
}

/** A result as the newer era has it. */
function newerForm(response: MessageText, method: string): Uint8Array {
  const { text, message } = response;
  if (message.kind === 'error') return text;
  const caching = { ttlMs: jsonText(0), cacheScope: jsonText('private') };
  const given = { resultType: jsonText('complete'), ...(cacheable.has(method) && caching) };
  const absent = Object.entries(given).filter(([name]) => resultMember(response, name) === undefined);
  const { resultType } = given;
  return changed(text, { result: withMembers(text, message.resultAt, { ...Object.fromEntries(absent), resultType }) });
}
