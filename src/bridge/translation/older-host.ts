import type { Failure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import { metaName } from '../../core/product.js';
import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { CallRefused, protocolBroken } from '../../mcp/failures.js';
import { type MessageText, objectOf } from '../../mcp/messages.js';
import { NewerEra } from '../../mcp/newer-era.js';
import type { Pending } from '../../mcp/pending.js';
import { hostRefusedInput, notTranslated } from '../failures.js';
import type { HostPipe } from '../host-pipe.js';
import type { ServerMessages } from '../server-messages.js';
import { ChangeStream, changingLists } from './change-stream.js';
import { ServerConversation } from './server-conversation.js';

/** Revisions that a host of the older era may speak. */
const olderRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

const invalidParams = -32602;

const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Of a server that does not say what it has: the host asks for each, and is refused what there is not. */
const unsaid = { tools: {}, prompts: {}, resources: {} };

interface OlderHostParts {
  readonly server: string;
  readonly clock: Clock;
  readonly pipe: HostPipe;
  readonly host: ServerMessages;
  readonly connect: ConstructorParameters<typeof ServerConversation>[0]['connect'];
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A host that begins with `initialize`, at a server that wants each request to say all by itself. */
export class OlderHost {
  readonly revision: string;
  readonly #parts: OlderHostParts;
  readonly #ending = new AbortController();
  readonly #capabilities: JsonObject;
  readonly #conversation: ServerConversation;
  readonly #era: NewerEra;
  #changes: ChangeStream | undefined;
  #logLevel: string | undefined;
  /** What is under way, by the host's ids. */
  readonly #underWay = new Map<string, AbortController>();

  /** @param opening The parameters of the host's `initialize` */
  constructor(parts: OlderHostParts, opening: JsonObject) {
    this.#parts = parts;
    const { server, pipe, connect, host } = parts;
    const wanted = olderRevisions.find((one) => one === opening['protocolVersion']);
    this.revision = wanted ?? olderRevisions[0];
    this.#capabilities = asObject(opening['capabilities']) ?? {};
    this.#conversation = new ServerConversation({ server, pipe, connect, notified: (one) => host.send(one) });
    const { tasks: _, ...others } = this.#capabilities; // those of the older era are not the extension
    const { clientInfo } = opening;
    this.#era = new NewerEra({
      server,
      meta: (revision) => ({
        [metaName('protocolVersion')]: revision,
        ...(clientInfo !== undefined && { [metaName('clientInfo')]: clientInfo }),
        [metaName('clientCapabilities')]: others,
        ...(this.#logLevel !== undefined && { [metaName('logLevel')]: this.#logLevel }),
      }),
      exchange: (method, params, signal) => this.#conversation.exchange(method, params, signal ?? this.#ending.signal),
      ask: (question, signal) => this.#ask(question, signal ?? this.#ending.signal),
    });
  }

  /**
   * Responds to the host's `initialize` with what the server says of itself. False where it does not speak the newer era.
   * @throws as `NewerEra.discover`
   */
  async begin(pending: Pending): Promise<boolean> {
    const { server, host, signal } = this.#parts;
    const said = await this.#era.discover(undefined);
    if (said === undefined) return false;
    const info = asObject(said['_meta'])?.[metaName('serverInfo')] ?? said['serverInfo'];
    const { instructions, capabilities = unsaid } = said;
    this.#changes = new ChangeStream({
      ...this.#parts,
      signal: AbortSignal.any([signal, this.#ending.signal]),
      lists: changingLists(asObject(said['capabilities']) ?? {}),
      listen: (filter, ending, notified) =>
        this.#conversation.exchange('subscriptions/listen', this.#era.carried(filter), ending, notified),
    });
    const result = {
      protocolVersion: this.revision,
      capabilities,
      serverInfo: info ?? { name: new URL(server).host, version: '' },
      ...(instructions !== undefined && { instructions }),
    };
    host.respond(pending, { result });
    return true;
  }

  /** @throws as `NewerEra.request`; Failure `not_translated` */
  async request(text: Uint8Array, pending: Pending): Promise<undefined> {
    const message = objectOf(text);
    if (message === undefined) throw notTranslated('the request can be read in more than one way');
    const ending = new AbortController();
    this.#underWay.set(pending.id, ending);
    try {
      const result = await this.#result(pending.method, asObject(message['params']) ?? {}, ending.signal);
      this.#parts.host.respond(pending, { result });
    } catch (error) {
      if (ending.signal.aborted) return;
      if (!(error instanceof CallRefused)) throw error;
      const { code, message: said, data } = error.error;
      this.#parts.host.respond(pending, { error: { code, message: said, ...(data !== undefined && { data }) } });
    } finally {
      this.#underWay.delete(pending.id);
    }
  }

  /** What has no response: the newer era has none of it, but for the end of a request. */
  tell({ message: { method, params } }: MessageText): void {
    if (method === 'notifications/initialized') void this.#changes?.turn();
    else if (method === 'notifications/cancelled') this.#underWay.get(params.requestId ?? '')?.abort();
  }

  end(reason: Failure): void {
    this.#ending.abort();
    for (const one of this.#underWay.values()) one.abort();
    this.#conversation.client.end(reason);
  }

  async #result(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    switch (method) {
      case 'ping':
        return {};
      case 'logging/setLevel': {
        const level = stringField(params, 'level') ?? '';
        if (!logLevels.includes(level)) throw refused('There is no such log level.');
        this.#logLevel = level;
        return {};
      }
      case 'resources/subscribe':
      case 'resources/unsubscribe': {
        const uri = stringField(params, 'uri');
        if (uri === undefined) throw refused('The URI of the resource is missing.');
        if (method === 'resources/unsubscribe') await this.#changes?.unfollow(uri);
        else if ((await this.#changes?.follow(uri)) !== true) {
          throw refused(`The server does not tell when ${quoted(uri, 200)} changes.`);
        }
        return {};
      }
      default:
        return olderForm(await this.#era.request(method, params, signal), method);
    }
  }

  /** Has the host respond to what a result asks. @throws Failure `protocol_broken` for what was not offered */
  async #ask(question: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { server, host } = this.#parts;
    const method = stringField(question, 'method') ?? '';
    const params = asObject(question['params']);
    const mode = stringField(params ?? {}, 'mode') ?? 'form';
    if (!isOffered(this.#capabilities, method, mode)) {
      throw protocolBroken(server, `it asks for ${quoted(method, 80)}, which was not offered`);
    }
    // The older era knows a page by an identifier, which the newer one has not.
    const named = mode === 'url' ? { elicitationId: crypto.randomUUID(), ...params } : params;
    const response = objectOf(await host.ask(method, named, signal));
    const result = asObject(response?.['result']);
    if (result === undefined) throw hostRefusedInput(method, asObject(response?.['error'])?.['message']);
    return result;
  }
}

function refused(message: string): CallRefused {
  return new CallRefused('', { code: invalidParams, message });
}

/** The capability that a host declares for each question. */
const capabilityFor = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/** @param mode Of an elicitation */
function isOffered(capabilities: JsonObject, method: string, mode: string): boolean {
  const name = capabilityFor.get(method) ?? '';
  const offered = asObject(capabilities[name]);
  if (offered === undefined || name !== 'elicitation') return offered !== undefined;
  const isUnsaid = offered['form'] === undefined && offered['url'] === undefined;
  return offered[mode] !== undefined || (mode === 'form' && isUnsaid);
}

/**
 * A result as the older era has it, where structured content is an object: a list of tools with other schemas would be
 * refused as a whole. The text of such content stands in the result, too.
 */
function olderForm(result: JsonObject, method: string): JsonObject {
  const { structuredContent, tools } = result;
  if (method === 'tools/list' && Array.isArray(tools)) return { ...result, tools: tools.map(withoutOtherSchema) };
  if (method !== 'tools/call' || structuredContent === undefined || asObject(structuredContent)) return result;
  const { structuredContent: _, ...others } = result;
  return others;
}

function withoutOtherSchema(tool: JsonValue): JsonValue {
  const { outputSchema, ...others } = asObject(tool) ?? {};
  return outputSchema === undefined || asObject(outputSchema)?.['type'] === 'object' ? tool : others;
}
