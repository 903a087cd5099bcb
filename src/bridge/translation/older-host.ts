import type { Clock } from '../../core/ports.js';
import { metaName } from '../../core/product.js';
import { asObject, type JsonObject } from '../../core/text/json.js';
import { openBrace } from '../../core/text/json-scan.js';
import { elementSpans, listOf, memberBytes, withMembers } from '../../core/text/json-splice.js';
import { quoted } from '../../core/text/printable.js';
import { mayAsk, newerError } from '../../mcp/eras.js';
import type { Outcome } from '../../mcp/exchange.js';
import { protocolBroken } from '../../mcp/failures.js';
import type { Pending } from '../../mcp/pending.js';
import { namedError } from '../../mcp/rpc-error.js';
import { readPages } from '../../mcp/server-session.js';
import { ChangeStream, changingLists } from './change-stream.js';
import type { HostSide } from './host-side.js';
import { askInputs } from './input-rounds.js';
import {
  changed,
  errorCode,
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
import type { Reply, ServerConversation } from './server-conversation.js';

/** How often a server may ask before it responds. */
const maxRounds = 10;

/** Revisions that a host of the older era may speak. */
const olderRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const invalidParams = -32602;

const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Of a server that does not say what it has: the host asks for each, and is refused what there is not. */
const unsaid = { tools: {}, prompts: {}, resources: {} };

export interface OlderHostParts {
  readonly server: string;
  readonly clock: Clock;
  readonly conversation: ServerConversation;
  readonly host: HostSide;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
  /** The host's `initialize`. */
  readonly opening: Uint8Array;
  /** What each request says of the host. */
  readonly meta: Record<string, Uint8Array | undefined>;
  /** The response to `server/discover`; an error where it shows no more than the era. */
  readonly discovered: MessageText;
}

/** A host that begins with `initialize`, at a server that wants each request to say all by itself. */
export class OlderHost {
  readonly revision: string;
  readonly #parts: OlderHostParts;
  readonly #ending = new AbortController();
  /** What each request says of the host. */
  readonly #meta: Record<string, Uint8Array | undefined>;
  readonly #capabilities: JsonObject;
  readonly #changes: ChangeStream;
  /** What is under way, by the host's ids. */
  readonly #underWay = new Map<string, AbortController>();
  #count = 0;

  constructor(parts: OlderHostParts) {
    this.#parts = parts;
    const { opening, discovered, signal } = parts;
    const wanted = stringIn(param(opening, 'protocolVersion')) ?? '';
    this.revision = olderRevisions.find((one) => one === wanted) ?? olderRevisions[0] ?? '';
    this.#capabilities = objectIn(param(opening, 'capabilities'));
    this.#meta = parts.meta;
    this.#changes = new ChangeStream({
      ...parts,
      signal: AbortSignal.any([signal, this.#ending.signal]),
      lists: changingLists(objectIn(resultMember(discovered, 'capabilities'))),
      carried: (request) => this.#carried(request.text),
    });
  }

  /** Responds to the host's `initialize` with what the server has said of itself. */
  begin(pending: Pending): void {
    const { discovered, host } = this.#parts;
    const meta = resultMember(discovered, '_meta');
    const info = (meta && memberBytes(meta, 0, metaName('serverInfo'))) ?? resultMember(discovered, 'serverInfo');
    const result = withMembers(jsonText({ protocolVersion: this.revision }), 0, {
      capabilities: resultMember(discovered, 'capabilities') ?? jsonText(unsaid),
      serverInfo: info ?? jsonText({ name: new URL(this.#parts.server).host, version: '' }),
      instructions: resultMember(discovered, 'instructions'),
    });
    host.respond(pending, resultText(pending.idBytes, result));
  }

  /** @throws as the client's `request`; Failure `not_translated` */
  async request(text: Uint8Array, pending: Pending): Promise<Outcome | undefined> {
    switch (pending.method) {
      case 'ping':
        return this.#respond(pending, {});
      case 'logging/setLevel':
        return this.#setLevel(text, pending);
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return await this.#follow(text, pending);
      default:
        return await this.#forward(text, pending);
    }
  }

  /** What has no response: the newer era has none of it, but for the end of a request. */
  tell({ message: { method, params } }: MessageText): void {
    if (method === 'notifications/initialized') void this.#changes.turn();
    else if (method === 'notifications/cancelled') this.#underWay.get(params.requestId ?? '')?.abort();
  }

  /** Takes a notification of the server's. */
  take(received: MessageText, asked: string | undefined): void {
    if (received.message.kind === 'notification' && !this.#changes.take(received, asked)) {
      this.#parts.host.send(received.text);
    }
  }

  end(): void {
    this.#ending.abort();
    for (const one of this.#underWay.values()) one.abort();
  }

  async #forward(text: Uint8Array, pending: Pending): Promise<Outcome | undefined> {
    const { server, host } = this.#parts;
    const ending = new AbortController();
    this.#underWay.set(pending.id, ending);
    try {
      let request = this.#carried(text);
      for (let round = 0; ; round += 1) {
        const reply = await this.#send(request, ending.signal);
        if (reply.kind !== 'response') return reply.outcome;
        if (!asksBack(server, reply, pending)) {
          host.respond(pending, changed(olderForm(reply, pending.method), { id: pending.idBytes }));
          return undefined;
        }
        if (round === maxRounds) throw protocolBroken(server, `it asks something for the ${maxRounds + 1}th time`);
        const inputs = await askInputs({ server, host, capabilities: this.#capabilities }, reply, ending.signal);
        if (inputs === undefined) return undefined;
        request = this.#again(withParams(request.text, inputs));
      }
    } finally {
      this.#underWay.delete(pending.id);
    }
  }

  /** A server that misses what a header should have repeated has changed its tools: they are read, and it is asked again. */
  async #send(request: MessageText, signal: AbortSignal): Promise<Reply> {
    const { conversation } = this.#parts;
    const reply = await conversation.request(request, signal);
    const isMissed = reply.kind === 'response' && errorCode(reply) === newerError.headerMismatch;
    if (!isMissed || request.message.method !== 'tools/call') return reply;
    await readPages(async (at) => {
      const list = this.#again(messageText({ id: 0, method: 'tools/list' }, { params: jsonText(at) }).text);
      const listed = await conversation.request(this.#carried(list.text), signal);
      const cursor = listed.kind === 'response' ? stringIn(resultMember(listed, 'nextCursor')) : undefined;
      return cursor === undefined ? undefined : { nextCursor: cursor };
    });
    return conversation.request(this.#again(request.text), signal);
  }

  /** The same with another id: it is another request. */
  #again(text: Uint8Array): MessageText {
    this.#count += 1;
    return scanned(changed(text, { id: jsonText(`postern-${this.#count}-${crypto.randomUUID()}`) }));
  }

  /** With what each request says of the host. */
  #carried(text: Uint8Array): MessageText {
    const meta = param(text, '_meta') ?? jsonText({});
    return scanned(withParams(text, { _meta: withMembers(meta, 0, this.#meta) }));
  }

  #setLevel(text: Uint8Array, pending: Pending): undefined {
    const level = stringIn(param(text, 'level')) ?? '';
    if (!logLevels.includes(level)) return this.#refuse(pending, 'There is no such log level.');
    this.#meta[metaName('logLevel')] = jsonText(level);
    return this.#respond(pending, {});
  }

  async #follow(text: Uint8Array, pending: Pending): Promise<undefined> {
    const uri = stringIn(param(text, 'uri'));
    if (uri === undefined) return this.#refuse(pending, 'The URI of the resource is missing.');
    if (pending.method === 'resources/unsubscribe') await this.#changes.unfollow(uri);
    else if (!(await this.#changes.follow(uri))) {
      return this.#refuse(pending, `The server does not tell when ${quoted(uri, 200)} changes.`);
    }
    return this.#respond(pending, {});
  }

  #respond(pending: Pending, result: JsonObject): undefined {
    this.#parts.host.respond(pending, resultText(pending.idBytes, jsonText(result)));
  }

  #refuse(pending: Pending, message: string): undefined {
    this.#parts.host.respond(pending, namedError(pending.idBytes, jsonText({ code: invalidParams, message })));
  }
}

/** What a host says of itself in `initialize`, as each request of the newer era says it. */
export function metaOf(opening: Uint8Array, revision: string): Record<string, Uint8Array | undefined> {
  const capabilities = objectIn(param(opening, 'capabilities'));
  const { tasks: _, ...others } = capabilities; // those of the older era are not the extension
  return {
    [metaName('protocolVersion')]: jsonText(revision),
    [metaName('clientInfo')]: param(opening, 'clientInfo'),
    [metaName('clientCapabilities')]: jsonText(asObject(others) ?? {}),
  };
}

/** @throws Failure `protocol_broken` for a result that the request cannot have */
function asksBack(server: string, reply: MessageText, { method }: Pending): boolean {
  const spelled = resultMember(reply, 'resultType');
  const type = spelled === undefined ? 'complete' : (stringIn(spelled) ?? '');
  if (reply.message.kind === 'error' || type === 'complete') return false;
  if (type === 'input_required' && mayAsk.has(method)) return true;
  throw protocolBroken(server, `its result is of the type ${quoted(type, 40)}, which ${method} cannot have`);
}

/**
 * A response as the older era has it, where structured content is an object: a list of tools with other schemas would be
 * refused as a whole. The text of such content stands in the result, too.
 */
function olderForm(response: MessageText, method: string): Uint8Array {
  const { text, message } = response;
  if (method === 'tools/call') {
    const structured = resultMember(response, 'structuredContent');
    if (structured === undefined || structured[0] === openBrace) return text;
    return changed(text, { result: withMembers(text, message.resultAt, { structuredContent: undefined }) });
  }
  const tools = method === 'tools/list' ? resultMember(response, 'tools') : undefined;
  if (tools === undefined) return text;
  const given = elementSpans(tools, 0).map(([from, to]) => tools.subarray(from, to));
  const kept = given.map((tool) => (hasOtherSchema(tool) ? withMembers(tool, 0, { outputSchema: undefined }) : tool));
  if (kept.every((tool, at) => tool === given[at])) return text;
  return changed(text, { result: withMembers(text, message.resultAt, { tools: listOf(kept) }) });
}

function hasOtherSchema(tool: Uint8Array): boolean {
  const schema = memberBytes(tool, 0, 'outputSchema');
  return schema !== undefined && stringIn(memberBytes(schema, 0, 'type')) !== 'object';
}
