import { isFailure } from '../core/failure.js';
import type { Relogin } from '../core/ports.js';
import { asObject, type JsonObject } from '../core/text/json.js';
import { Deadline } from '../core/time.js';
import { allPages, listMembers } from '../mcp/server-session.js';
import type { StorePorts } from '../stores/ports.js';
import type { ToolSignature } from '../stores/state/tool-lists.js';
import type { Conversation, Introduction } from './conversation.js';
import {
  Allowance,
  type ConversationRequest,
  type CreatePorts,
  createConversation,
  programOf,
} from './create-conversation.js';
import { callTimedOut } from './failures.js';
import { type CommandFor, callOf, KnownTools, toolListKey } from './tools/known-tools.js';
import type { ProtocolCall } from './words.js';

type Server = ConversationRequest['login'];

export type CallerPorts = CreatePorts & Pick<StorePorts, 'toolLists'>;

export interface CallerOptions
  extends Pick<
    ConversationRequest,
    'policy' | 'opensPages' | 'protocol' | 'follows' | 'during' | 'notify' | 'signal' | 'tell'
  > {
  /** Finds the server, or starts it: at the first request, and again where the session was lost. */
  readonly find: () => Promise<Server>;
  /** @param cancelled What ends the request that the login is for. */
  readonly relogin: (cancelled: () => AbortSignal | undefined) => Promise<Relogin | undefined>;
  /** Takes a line on what was left out of the server's words. */
  readonly warn: (line: string) => void;
  /** For each request, in seconds. */
  readonly timeout: number;
  /** Command lines that ask the same server for something else; absent: of `postern call`. */
  readonly commandFor?: CommandFor;
  /** The server as the person named it; by its URL where that is not given. */
  readonly named?: string | undefined;
}

interface AskedBy {
  /** Ends this request alone; the session stays. */
  readonly cancelled?: AbortSignal | undefined;
  /** Gets the result as the server spelled it, page by page. */
  readonly raw?: Uint8Array[] | undefined;
}

/** What the request under way may take and read, and what ends it. */
interface Turn extends AskedBy {
  readonly deadline: Deadline;
  /** Absent until the server is found. */
  readonly meter: Allowance | undefined;
  /** Aborts at the deadline, too. */
  readonly signal: AbortSignal;
}

interface Found {
  readonly server: Server;
  readonly known: KnownTools;
  readonly commandFor: CommandFor;
}

/**
 * Calls one server, one request after the other: the session is opened when it is needed, and again where it was lost.
 * Each request has its own time, its own share of bytes, and its own end.
 */
export class Caller implements AsyncDisposable {
  readonly #ports: CallerPorts;
  readonly #options: CallerOptions;
  #found: Promise<Found> | undefined;
  #opened: Promise<Conversation> | undefined;
  #turn: Turn | undefined;
  /** The login that the request under way waits for. */
  #loggingIn: ReturnType<Relogin> | undefined;
  /** What was listed last in this session; undefined for what the server cannot list. */
  readonly #lists = new Map<string, Promise<JsonObject | undefined>>();

  constructor(ports: CallerPorts, options: CallerOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** What the server says of itself. @throws as `ask` */
  async introduction(cancelled?: AbortSignal): Promise<Introduction & { readonly server: string }> {
    return this.#timed('initialize', { cancelled }, async ({ server }, turn) => {
      const conversation = await this.#session(turn.signal);
      return { ...(await conversation.introduction(turn.signal)), server: server.server };
    });
  }

  /**
   * One request and its result; the pages of a list are put together. For a tool the list of tools is asked for before,
   * where its arguments need that and it is not kept.
   * @throws Failure of `find`, `Conversation.request`, `KnownTools`; `timed_out`, `too_large`; the signal's reason
   */
  async ask(wanted: ProtocolCall, by: AskedBy = {}): Promise<JsonObject> {
    return this.#timed(wanted.method, by, async (found, turn) => {
      this.#ports.progress.begin(`Calling ${wanted.method}`);
      const conversation = await this.#session(turn.signal);
      try {
        return await this.#request(wanted, found, turn);
      } catch (error) {
        if (await conversation.pagesFirst(error, turn.signal)) return this.#request(wanted, found, turn);
        throw error;
      }
    });
  }

  /**
   * The tool of that name, from the list that is kept, else from the server's, and command lines that call it.
   * @throws as `ask`; Failure `tool_unknown`
   */
  async tool(name: string, cancelled?: AbortSignal) {
    return this.#timed('tools/list', { cancelled }, async ({ known, commandFor }, turn) => ({
      tool: await known.tool(name, () => this.#pages(toolsList, turn)),
      commandFor,
    }));
  }

  /** What was listed of a tool. */
  async listed(name: string): Promise<ToolSignature | undefined> {
    return (await this.#found?.catch(() => undefined))?.known.kept(name);
  }

  /** The entries of a list, for completion: as it was listed last. What cannot be listed is empty. */
  async entries(method: string): Promise<readonly JsonObject[]> {
    if (this.#opened === undefined) return [];
    const wanted = { method, params: {} };
    const list = this.#timed(method, {}, (_found, turn) => this.#list(wanted, turn, nothing));
    const listed = (await list.catch(nothing))?.[listMembers.get(method) ?? ''];
    return Array.isArray(listed) ? listed.map(asObject).filter((one) => one !== undefined) : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const [found, opened] = [this.#found, this.#opened];
    this.#found = undefined;
    this.#opened = undefined;
    this.#lists.clear();
    await (await opened?.catch(nothing))?.[Symbol.asyncDispose]();
    await programOf((await found?.catch(nothing))?.server)?.[Symbol.asyncDispose]();
  }

  async #timed<T>(method: string, by: AskedBy, work: (found: Found, turn: Turn) => Promise<T>): Promise<T> {
    const { timeout } = this.#options;
    using deadline = new Deadline(timeout * 1000, () => callTimedOut(method, timeout));
    const signal = AbortSignal.any([deadline.signal, ...(by.cancelled ? [by.cancelled] : [])]);
    const turn = { ...by, deadline, signal, meter: undefined };
    this.#turn = turn;
    try {
      const found = await this.#find();
      this.#turn = { ...turn, meter: new Allowance(found.server.server, await this.#ports.limits()) };
      return await work(found, this.#turn);
    } catch (error) {
      const isLogin = this.#loggingIn !== undefined;
      await this.#loggingIn?.catch(nothing);
      if (isLogin || isFailure(error, ...sessionEnds)) await this[Symbol.asyncDispose](); // the next request may try again
      throw error;
    } finally {
      this.#ports.progress.end();
    }
  }

  #find(): Promise<Found> {
    const find = async () => {
      const { deadline } = this.#turn ?? {};
      deadline?.stop();
      const server = await this.#options.find();
      deadline?.restart();
      const commandFor = this.#options.commandFor ?? callOf(server, this.#options.named);
      return { server, commandFor, known: new KnownTools(this.#ports, toolListKey(server), commandFor) };
    };
    this.#found ??= find().catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  #session(signal: AbortSignal): Promise<Conversation> {
    this.#opened ??= this.#open(signal).catch(async (error: unknown) => {
      this.#opened = undefined;
      await this[Symbol.asyncDispose]();
      throw error;
    });
    return this.#opened;
  }

  async #open(signal: AbortSignal): Promise<Conversation> {
    const { find: _find, relogin, notify, ...options } = this.#options;
    const { server, known } = await this.#find();
    const again = await relogin(() => this.#turn?.cancelled);
    const deadline = { stop: () => this.#turn?.deadline.stop(), restart: () => this.#turn?.deadline.restart() };
    const conversation = await createConversation(this.#ports, {
      ...options,
      login: server,
      relogin: again && ((...held) => this.#logIn(again(...held))),
      deadline,
      meter: {
        bytes: (count) => this.#turn?.meter?.bytes(count),
        pieces: (lines, events) => this.#turn?.meter?.pieces(lines, events),
      },
      notify: async (method, params) => {
        const [, list] = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method) ?? [];
        this.#lists.delete(`${list}/list`);
        if (list === 'tools') await known.forget();
        return notify(method, params);
      },
      keepsSpelling: () => this.#turn?.raw !== undefined,
    });
    try {
      await conversation.open(signal);
    } catch (error) {
      await conversation[Symbol.asyncDispose]();
      throw error;
    }
    if (programOf(server) !== undefined) void conversation.over.then(({ error }) => this.#ended(error));
    return conversation;
  }

  async #logIn(login: ReturnType<Relogin>): ReturnType<Relogin> {
    this.#loggingIn = login;
    try {
      return await login;
    } finally {
      this.#loggingIn = undefined;
    }
  }

  /** A program that has ended by itself. */
  #ended(error: unknown): void {
    if (this.#opened === undefined || !isFailure(error, 'server_ended')) return;
    this.#options.tell(`${error.message} The next command starts it again.`);
    void this[Symbol.asyncDispose]();
  }

  async #request({ orTool, ...asked }: ProtocolCall, { known }: Found, turn: Turn): Promise<JsonObject> {
    const conversation = await this.#session(turn.signal);
    const list = () => this.#list(toolsList, turn);
    const isTool = orTool !== undefined && (await known.has(orTool.name, list));
    const { method, params, tool } = isTool
      ? { method: 'tools/call', params: { name: orTool.name }, tool: orTool }
      : asked;
    if (tool === undefined) {
      const result = await this.#pages({ method, params }, turn, turn.raw);
      if (Object.keys(params).length === 0) this.#lists.set(method, Promise.resolve(result));
      if (method === 'tools/list' && !('cursor' in params)) await known.keep(result);
      return result;
    }
    const sent = await known.argumentsFor(tool, list);
    if (conversation.sendsHeaders && (await known.mayBeMarked(tool.name))) {
      const result = await list(); // which parameters go into headers, the client learns of this response
      if (result !== undefined) await known.keep(result);
    }
    const result = await known.trying(() => conversation.request(method, { ...params, arguments: sent }, turn.signal));
    return keepSpelling(turn, conversation, result);
  }

  /** As it was listed last in this session, else as it is listed now; undefined where the server cannot. */
  #list(wanted: ProtocolCall, turn: Turn, tell?: (line: string) => void): Promise<JsonObject | undefined> {
    const { method } = wanted;
    const listed = this.#lists.get(method) ?? this.#pages(wanted, turn, undefined, tell).catch(noList);
    this.#lists.set(method, listed);
    listed.catch(() => this.#lists.delete(method));
    return listed;
  }

  /** The result of a request; the pages of a list are put together. */
  async #pages({ method, params }: ProtocolCall, turn: Turn, raw?: Turn['raw'], tell = this.#options.warn) {
    const conversation = await this.#session(turn.signal);
    const request = async (more: JsonObject) =>
      keepSpelling({ raw }, conversation, await conversation.request(method, { ...params, ...more }, turn.signal));
    if ('cursor' in params) return request({});
    const { result, cut } = await allPages(method, request, (await this.#ports.limits()).callPages);
    const more = cut?.isFault ? '' : ' To read more, raise callPages in the configuration: postern config';
    if (cut !== undefined) tell(`The list is incomplete: ${cut.why}.${more}`);
    return result;
  }
}

function keepSpelling({ raw }: AskedBy, conversation: Conversation, result: JsonObject): JsonObject {
  const spelled = raw && conversation.spelling(result);
  if (spelled !== undefined) raw?.push(spelled);
  return result;
}

const toolsList: ProtocolCall = { method: 'tools/list', params: {} };

const nothing = () => undefined;

/** After these nothing more can be asked in a session. */
const sessionEnds = ['server_ended', 'session_lost', 'login_needed', 'login_expired', 'too_large'] as const;

/** A server that lists no tools may have some. */
function noList(error: unknown): undefined {
  if (!isFailure(error, 'call_failed', 'http_failed')) throw error;
}
