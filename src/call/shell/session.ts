import type { CommandExit, CommandOutput } from '../../core/command.js';
import { isFailure } from '../../core/failure.js';
import type { BrowserOptions, CorePorts, Files, Relogin, Signals } from '../../core/ports.js';
import { asObject, type JsonObject, stringField } from '../../core/text/json.js';
import { Deadline, timeLimit } from '../../core/time.js';
import { withOwnLogin } from '../../stores/memory-store.js';
import type { StorePorts, ToolList, ToolSignature } from '../../stores/ports.js';
import type { AuthorizerPorts } from '../../tokens/token-in-use.js';
import { Allowance } from '../allowance.js';
import { allPages, ask } from '../call.js';
import type { OutputForm } from '../call.options.js';
import type { Conversation, Introduction } from '../conversation.js';
import { type ConversationRequest, createConversation } from '../create-conversation.js';
import type { PersonPorts } from '../elicitation/ask-page.js';
import type { ElicitationPolicy } from '../elicitation/questions.js';
import { callTimedOut } from '../failures.js';
import { findServer, programOf, type ServerArguments, type ServerWorld } from '../find-server.js';
import { KnownTools, toolListKey } from '../tools/known-tools.js';
import { toolListOf } from '../tools/signatures.js';
import type { ProtocolCall } from '../words.js';
import type { Offered } from './completion.js';
import type { OpenLineReader, ShellHistory } from './ports.js';

export interface ShellWorld
  extends AuthorizerPorts,
    CommandOutput,
    ServerWorld,
    Pick<CorePorts, 'limits' | 'progress'>,
    PersonPorts,
    Pick<StorePorts, 'toolLists'> {
  readonly files: Files;
  readonly signals: Signals;
  readonly printed: () => Promise<void>;
  /** Prints what was thrown, as at the end of the program, which goes on. */
  readonly printFailure: (error: unknown) => CommandExit;
  readonly openLineReader: OpenLineReader;
  readonly shellHistory: () => Promise<ShellHistory>;
}

export interface SessionArguments extends ServerArguments, BrowserOptions {
  /** How results are printed, where a line does not say otherwise; undefined: as text, or as JSON with `--json`. */
  readonly output: OutputForm | undefined;
  /** Where what is no text is saved. */
  readonly save: string | undefined;
  /** Lists tell what parameters mean. */
  readonly long: boolean;
  readonly elicitation: ElicitationPolicy | undefined;
  readonly protocol: string | undefined;
  /** For each request, in seconds. */
  readonly timeout: number;
}

/** What is open, and how it is closed. */
interface Opened extends AsyncDisposable {
  readonly conversation: Conversation;
  readonly known: KnownTools;
  /** As the server calls itself. */
  readonly introduction: Introduction & { readonly name: string };
}

/** The session of one shell: opened when it is needed, and again when it was lost. Requests go one after the other. */
export class ShellSession implements Offered, AsyncDisposable {
  readonly #world: ShellWorld;
  readonly #args: SessionArguments;
  readonly #notify: (method: string, params: JsonObject) => unknown;
  #opened: Promise<Opened> | undefined;
  /** What the request under way may take and read. */
  #deadline: Deadline | undefined;
  #cancelled: AbortSignal | undefined;
  #allowance: Allowance | undefined;
  /** The login that the request under way waits for. */
  #loggingIn: ReturnType<Relogin> | undefined;
  /** Takes the result under way as the server spelled it. */
  #keepRaw: ((method: string, bytes: Uint8Array) => void) | undefined;
  #lists = new Map<string, Promise<JsonObject>>();

  constructor(world: ShellWorld, args: SessionArguments, notify: (method: string, params: JsonObject) => unknown) {
    this.#world = world;
    this.#args = args;
    this.#notify = notify;
  }

  /** Opens the session, if it is not open. What the server says of itself. @throws as `ask` */
  async open(cancelled: AbortSignal): Promise<Opened['introduction']> {
    return this.#timed('initialize', cancelled, async () => (await this.#session()).introduction);
  }

  /**
   * One request and its result; the pages of a list are put together.
   * @param raw Gets the result as the server spelled it, page by page.
   * @throws Failure of `findServer`, `Conversation.request`; `timed_out`; the signal's reason
   */
  async ask(wanted: ProtocolCall, cancelled: AbortSignal, raw?: Uint8Array[]): Promise<JsonObject> {
    const { method } = wanted;
    this.#keepRaw = raw && ((of, bytes) => [method, wanted.orTool && 'tools/call'].includes(of) && raw.push(bytes));
    const paging = { maxPages: (await this.#world.limits()).callPages, tell: this.#world.tell };
    return this.#timed(method, cancelled, async (signal) => {
      const { conversation, known } = await this.#session();
      const lists = { method: 'tools/list', params: {}, cancelled: signal };
      const list = () => this.#known('tools/list', () => allPages(conversation, lists, paging));
      try {
        const result = await ask(conversation, { ...wanted, cancelled: signal }, { known, ...paging, list });
        if (method.endsWith('/list') && Object.keys(wanted.params).length === 0) {
          this.#lists.set(method, Promise.resolve(result));
        }
        return result;
      } catch (error) {
        if (this.#loggingIn !== undefined) {
          await this.#loggingIn.catch(() => undefined);
          await this.close(); // the next command may try again
        }
        throw error;
      }
    });
  }

  /** What was listed of a tool: nothing is asked for. */
  async listed(name: string): Promise<ToolSignature | undefined> {
    return (await this.#opened?.catch(() => undefined))?.known.kept(name);
  }

  async toolList(): Promise<ToolList> {
    return toolListOf(await this.#list('tools/list'), 0);
  }

  async tools(): Promise<ToolList['tools']> {
    return (await this.toolList()).tools;
  }

  async prompts(): ReturnType<Offered['prompts']> {
    return objectsIn((await this.#list('prompts/list'))['prompts']).map((prompt) => ({
      name: stringField(prompt, 'name') ?? '',
      parameters: objectsIn(prompt['arguments']).map((one) => stringField(one, 'name') ?? ''),
    }));
  }

  async resources(): Promise<readonly string[]> {
    return objectsIn((await this.#list('resources/list'))['resources']).map((one) => stringField(one, 'uri') ?? '');
  }

  /** Ends the session; the next request opens another one. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#lists.clear();
    await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** For completion: as it was listed last. What cannot be listed is empty. */
  async #list(method: string): Promise<JsonObject> {
    if (this.#opened === undefined) return {};
    const signal = timeLimit(this.#args.timeout * 1000);
    const listed = async () => {
      const paging = { maxPages: (await this.#world.limits()).callPages, tell: () => undefined };
      return this.#timed(method, signal, async () =>
        allPages((await this.#session()).conversation, { method, params: {}, cancelled: signal }, paging),
      );
    };
    return (await this.#known(method, listed)) ?? {};
  }

  /** What was listed last, else what is listed now; undefined where that cannot be. */
  #known(method: string, list: () => Promise<JsonObject>): Promise<JsonObject | undefined> {
    const known = this.#lists.get(method) ?? list();
    this.#lists.set(method, known);
    return known.catch(() => {
      this.#lists.delete(method);
      return undefined;
    });
  }

  async #timed<Result>(
    method: string,
    cancelled: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { timeout } = this.#args;
    using deadline = new Deadline(timeout * 1000, () => callTimedOut(method, timeout));
    this.#deadline = deadline;
    this.#cancelled = cancelled;
    this.#allowance = new Allowance(this.#args.server ?? 'The server', await this.#world.limits());
    try {
      return await work(AbortSignal.any([cancelled, deadline.signal]));
    } catch (error) {
      if (endsSession(error)) await this.close();
      throw error;
    } finally {
      if (this.#deadline === deadline) this.#deadline = undefined; // a question that comes later has no request to stop
    }
  }

  #session(): Promise<Opened> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<Opened> {
    const login = await findServer(this.#world, this.#args, 'shell');
    const program = programOf(login);
    const conversation = await this.#converse(login).catch(async (error: unknown) => {
      await program?.[Symbol.asyncDispose]();
      throw error;
    });
    const close = async () => {
      await conversation[Symbol.asyncDispose]();
      await program?.[Symbol.asyncDispose]();
    };
    try {
      const said = await conversation.introduction();
      if (program !== undefined) void conversation.over.then(({ error }) => this.#ended(error));
      const known = new KnownTools(this.#world, toolListKey(login), commandFor);
      const introduction = { ...said, name: said.name ?? login.server };
      return { conversation, known, introduction, [Symbol.asyncDispose]: close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  async #converse(login: ConversationRequest['login']): Promise<Conversation> {
    const { signal, terminal, tell } = this.#world;
    const opening = [this.#cancelled, this.#deadline?.signal].filter((one) => one !== undefined);
    return createConversation(this.#world, {
      login,
      relogin: await this.#relogin(),
      policy: this.#args.elicitation ?? (terminal.interactive ? 'ask' : 'decline'),
      opensPages: !this.#args.noBrowser,
      deadline: { stop: () => this.#deadline?.stop(), restart: () => this.#deadline?.restart() },
      protocol: this.#args.protocol,
      follows: terminal.interactive,
      meter: {
        bytes: (count) => this.#allowance?.bytes(count),
        pieces: (lines, events) => this.#allowance?.pieces(lines, events),
      },
      notify: (method, params) => this.#notified(method, params),
      raw: (method, bytes) => this.#keepRaw?.(method, bytes),
      tell,
      signal,
      opening: AbortSignal.any(opening),
    });
  }

  /** The time that a person takes to log in does not count, and Ctrl-C ends the login, too. */
  async #relogin(): Promise<Relogin | undefined> {
    const logins = await this.#world.logins();
    const relogin = logins.relogin({ ...withOwnLogin(this.#args), cancelled: () => this.#cancelled });
    return (
      relogin &&
      (async (...given) => {
        this.#deadline?.stop();
        this.#loggingIn = relogin(...given);
        try {
          return await this.#loggingIn;
        } finally {
          this.#loggingIn = undefined;
          this.#deadline?.restart();
        }
      })
    );
  }

  #notified(method: string, params: JsonObject): unknown {
    const [, list] = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method) ?? [];
    if (list !== undefined) this.#lists.delete(`${list}/list`);
    return this.#notify(method, params);
  }

  /** A program that has ended by itself. */
  #ended(error: unknown): void {
    if (this.#opened === undefined || !isFailure(error, 'server_ended')) return;
    this.#world.tell(`${error.message} The next command starts it again.`);
    void this.close();
  }
}

/** Whether nothing more can be asked in that session. */
function endsSession(error: unknown): boolean {
  return isFailure(error, 'server_ended', 'session_lost', 'login_needed', 'login_expired', 'too_large');
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter((one) => one !== undefined) : [];
}

/** What is typed here where `call` would want a command line. */
function commandFor(words: string): string {
  return words === '' ? 'tools' : `help ${words.replace(/ --help$/, '')}`;
}
