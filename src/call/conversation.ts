import type { CorePorts } from '../core/ports.js';
import { clientInfo, latestProtocolVersion, metaName, ownMeta } from '../core/product.js';
import { asObject, type JsonObject, stringField } from '../core/text/json.js';
import { quoted } from '../core/text/printable.js';
import { within } from '../core/time.js';
import { saysOlder } from '../mcp/eras.js';
import { CallRefused, HttpFailed, protocolBroken } from '../mcp/failures.js';
import { NewerEra } from '../mcp/newer-era.js';
import type { StreamEnd } from '../mcp/streams.js';
import type { PersonPorts } from './elicitation/ask-page.js';
import { Questions, type QuestionsOptions, type ServerRequest } from './elicitation/questions.js';
import { Exchanges, type ExchangesOptions } from './exchanges.js';
import { pageRequired } from './failures.js';
import { type DuringTask, followTask, type TaskParts, tasksExtension } from './follow-task.js';

/** How long a call waits for a server to take the session's own stream; some do only with the first event. */
const openingMs = 1_000;

/** A server of the older era begins with `initialize`; to one of the newer era each request says all by itself. */
export type Era = 'newer' | 'older';

/** What of a server's era is known, and who keeps what is found out. */
export interface EraMemory {
  readonly known: Era | undefined;
  /** Whether a person said so: then nothing else is tried. */
  readonly isForced: boolean;
  learned(era: Era): Promise<void>;
}

export interface ConversationOptions
  extends Pick<ExchangesOptions, 'server' | 'connect' | 'notify' | 'keepsSpelling' | 'signal'>,
    Pick<QuestionsOptions, 'policy' | 'deadline' | 'browser'> {
  /** What ends a task of the server before the rest; absent: what ends its request. */
  readonly during?: DuringTask;
  /** Whether a browser may be opened where the server wants a page seen; by default it may. */
  readonly opensPages?: boolean;
  readonly era: EraMemory;
  /** The server is a program: there are no headers. */
  readonly isLocal?: boolean;
  /** Does the person want what the server says unasked, though it may ask nothing? */
  readonly follows?: boolean;
  /** What `connect` sends over; closed with the conversation. */
  readonly wire?: AsyncDisposable;
  /** Those that the login is made by. */
  readonly extensions?: JsonObject;
}

export type ConversationPorts = Pick<CorePorts, 'clock'> & PersonPorts;

/** What a server says of itself at first; nothing of it is made harmless yet. */
export interface Introduction {
  readonly name: string | undefined;
  readonly instructions: string | undefined;
}

const pageCompleted = 'notifications/elicitation/complete';

/** A conversation with one server, in the era of the protocol that it speaks. */
export class Conversation implements AsyncDisposable {
  readonly #ports: ConversationPorts;
  readonly #options: ConversationOptions;
  readonly #exchanges: Exchanges;
  readonly #newerEra: NewerEra;
  readonly #questions: Questions;
  #isNewer = false;
  #isOpen = false;
  /** What the server has said of itself; one of the newer era may not have been asked. */
  #said: JsonObject | undefined;
  /** Has the server taken a request in the era that it is spoken with? */
  #isProven = false;

  constructor(ports: ConversationPorts, options: ConversationOptions) {
    this.#ports = ports;
    this.#options = options;
    const { policy, server, follows = false, opensPages = true, notify, during, signal } = options;
    this.#questions = new Questions(ports, { ...options, opensPages });
    this.#exchanges = new Exchanges({
      ...options,
      clock: ports.clock,
      listens: follows || policy !== 'decline', // where the person may be asked, questions may come on the session's own stream, too
      notify: (method, params) => {
        if (method !== pageCompleted) return notify(method, params);
        return this.#questions.completed(params);
      },
      respond: (request, asked) => this.#respond(request, asked),
    });
    const ask = (request: JsonObject, cancelled: AbortSignal | undefined) => this.#input(request, cancelled);
    const tasks: TaskParts = {
      ...{ clock: ports.clock, server, during, signal, ask },
      send: (method, params, cancelled) => this.#newerEra.agreed(method, params, cancelled),
      notify: (task) => notify('notifications/tasks', task),
    };
    const offered = { ...asObject(this.#capabilities['extensions']), [tasksExtension]: {} };
    this.#newerEra = new NewerEra({
      ...{ server, ask },
      meta: (revision) => ownMeta(revision, { ...this.#capabilities, extensions: offered }),
      exchange: (method, params, cancelled) => this.#exchanges.request(method, params, { isModern: true, cancelled }),
      task: (created, cancelled) => followTask(tasks, created, cancelled),
    });
  }

  /** Whether it is spoken in the newer era, once it is open. */
  get isNewer(): boolean {
    return this.#isNewer;
  }

  get #capabilities(): JsonObject {
    const { extensions = {} } = this.#options;
    return { ...this.#questions.capabilities, ...(Object.keys(extensions).length > 0 && { extensions }) };
  }

  /** Whether what a tool is given may have to be repeated in headers, once it is open. */
  get sendsHeaders(): boolean {
    return this.#isNewer && this.#options.isLocal !== true;
  }

  /** A result as the server spelled it, where that is kept. */
  spelling(result: JsonObject): Uint8Array | undefined {
    return this.#exchanges.spelled.get(result);
  }

  /** Resolves once nothing comes unasked any more. */
  get over(): Promise<StreamEnd> {
    return this.#exchanges.client.over;
  }

  /**
   * Begins the conversation in the era that the server speaks. One of which that is not known is asked whether it speaks
   * the newer one; one that was of the older era is asked where it refuses `initialize`.
   * @throws as `request`
   */
  async open(cancelled?: AbortSignal): Promise<void> {
    const { era } = this.#options;
    this.#isNewer = era.known === 'newer';
    if (!this.#isNewer) this.#said = await this.#begin(era, cancelled);
    this.#isOpen = true;
  }

  async #begin(era: EraMemory, cancelled: AbortSignal | undefined): Promise<JsonObject> {
    const found = era.known === undefined ? await this.#openNewer(cancelled) : undefined;
    if (found !== undefined) return found;
    try {
      return await this.#openOlder(cancelled);
    } catch (error) {
      const mayBeNewer = era.known !== undefined && !era.isForced && (error instanceof CallRefused || saysOlder(error));
      const discovered = mayBeNewer ? await this.#openNewer(cancelled) : undefined;
      if (discovered === undefined) throw error;
      return discovered;
    }
  }

  /** What the server says of itself; opens what is not open. @throws as `request` */
  async describe(cancelled?: AbortSignal): Promise<JsonObject> {
    if (!this.#isOpen) await this.open(cancelled);
    this.#said ??= await this.request('server/discover', {}, cancelled);
    return this.#said;
  }

  /** How the server calls itself, and how it wants to be used, for the person alone. @throws as `request` */
  async introduction(cancelled?: AbortSignal): Promise<Introduction> {
    const said = await this.describe(cancelled);
    const info = this.#isNewer ? asObject(said['_meta'])?.[metaName('serverInfo')] : said['serverInfo'];
    const { title, name } = asObject(info) ?? {};
    const text = [title, name].find((one) => typeof one === 'string');
    return { name: text, instructions: stringField(said, 'instructions') };
  }

  async #openNewer(cancelled: AbortSignal | undefined): Promise<JsonObject | undefined> {
    const found = await this.#newerEra.discover(cancelled);
    this.#isNewer = found !== undefined;
    this.#isProven = true;
    await this.#options.era.learned(this.#isNewer ? 'newer' : 'older');
    return found;
  }

  async #openOlder(cancelled: AbortSignal | undefined): Promise<JsonObject> {
    const params = {
      protocolVersion: latestProtocolVersion,
      capabilities: this.#capabilities,
      clientInfo: { ...clientInfo },
    };
    const result = await this.#exchanges.request('initialize', params, { isModern: false, cancelled });
    await this.#exchanges.tell({ method: 'notifications/initialized' });
    await within(this.#ports.clock, openingMs, this.#exchanges.client.listening);
    this.#options.signal.throwIfAborted();
    return result;
  }

  /**
   * One request and its result. Several may be under way.
   * @param cancelled Ends this request alone: the server is told, and may have done it all the same.
   * @throws Failure `call_failed`, `http_failed`, `protocol_broken`, `revision_unknown`, the client's, or the signal's reason
   */
  async request(method: string, params: JsonObject, cancelled?: AbortSignal): Promise<JsonObject> {
    if (method === 'initialize') return await this.describe(cancelled);
    if (!this.#isNewer) return await this.#exchanges.request(method, params, { isModern: false, cancelled });
    try {
      const result = await this.#newerEra.request(method, params, cancelled);
      this.#isProven = true;
      return result;
    } catch (error) {
      const isAsked = !this.#isProven && !this.#options.era.isForced && mayBeOlder(error);
      if (!isAsked || (await this.#openNewer(cancelled)) !== undefined || !isUntouched(error)) throw error;
    }
    this.#said = await this.#openOlder(cancelled); // the server was put back to an older release
    return await this.#exchanges.request(method, params, { isModern: false, cancelled });
  }

  /**
   * Whether what an older server wants opened before it takes a request was opened and done with: then the request is to
   * be repeated. @param error What the request has failed with. @throws the signal's reason
   */
  async pagesFirst(error: unknown, cancelled?: AbortSignal): Promise<boolean> {
    if (this.#isNewer || !(error instanceof CallRefused) || error.error.code !== pageRequired) return false;
    return this.#questions.pagesFirst(asObject(error.error.data) ?? {}, this.#either(cancelled));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#questions[Symbol.asyncDispose]();
    await this.#exchanges[Symbol.asyncDispose]();
    await this.#options.wire?.[Symbol.asyncDispose]();
  }

  #either(cancelled: AbortSignal | undefined): AbortSignal {
    const { signal } = this.#options;
    return cancelled === undefined ? signal : AbortSignal.any([signal, cancelled]);
  }

  /** What is asked in the middle of a request that is cancelled is cancelled with it. */
  async #respond(request: ServerRequest, asked: readonly AbortSignal[]): Promise<JsonObject | undefined> {
    const { signal } = this.#options;
    const either = AbortSignal.any([signal, ...asked]);
    try {
      return await this.#questions.respond(request, false, either);
    } catch (error) {
      if (!either.aborted || signal.aborted) throw error;
      return { action: 'cancel' };
    }
  }

  /** The result for a question that came as the result of a request. */
  async #input(request: JsonObject, cancelled: AbortSignal | undefined): Promise<JsonObject> {
    const asked = { method: stringField(request, 'method') ?? '', params: asObject(request['params']) ?? {} };
    const result = await this.#questions.respond(asked, true, this.#either(cancelled));
    if (result !== undefined) return result;
    throw protocolBroken(this.#options.server, `it asks for ${quoted(asked.method, 80)}, which was not offered`);
  }
}

/** Whether what came instead of a result may be of a server that was put back to the older era. */
function mayBeOlder(error: unknown): boolean {
  return error instanceof CallRefused ? error.error.code !== invalidParams : saysOlder(error);
}

const invalidParams = -32602; // it knows the method

/** Whether the server has refused the request before it did anything: by its HTTP status. An error alone may be that of a tool. */
function isUntouched(error: unknown): boolean {
  return error instanceof CallRefused ? error.status !== undefined : error instanceof HttpFailed;
}
