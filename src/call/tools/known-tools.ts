import { isFailure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import type { LoginRecord } from '../../core/records.js';
import { closest } from '../../core/text/closest.js';
import { asObject, type JsonObject } from '../../core/text/json.js';
import { shellWord } from '../../core/text/printable.js';
import { CallRefused } from '../../mcp/failures.js';
import type { StorePorts } from '../../stores/ports.js';
import type { ToolList, ToolSignature } from '../../stores/state/tool-lists.js';
import type { OpenServer } from '../../tokens/find-login.js';
import { methods, toolUnknown } from '../failures.js';
import { argumentsFor, type Given, needsSchema, plainArguments } from './arguments.js';
import { exampleOf } from './in-words.js';
import { toolListOf } from './signatures.js';

type KnownToolsPorts = Pick<StorePorts & CorePorts, 'toolLists' | 'clock'>;

/** The command line that asks the same server for something else. */
export type CommandFor = (words: string) => string;

/** Command lines of `postern call` for that server. */
export function callOf(server: CalledServer, named = server.server): CommandFor {
  return 'program' in server
    ? (words) => `postern call ${words} -- ${server.server}`
    : (words) => `postern call ${shellWord(named)} ${words}`.trim();
}

type CalledServer = LoginRecord | OpenServer | { readonly server: string; readonly program: object };

/**
 * Under which key the tools of a server are kept, as for `toolListPath`: that of its login, or its URL where it is called
 * without one. Undefined for what is not kept: of a program, and of a login that leaves nothing behind.
 */
export function toolListKey(login: LoginRecord | OpenServer | { readonly program: object }): string | undefined {
  if ('program' in login) return undefined;
  if (login.key === undefined) return login.server;
  return login.store === 'memory' || login.store === 'environment' ? undefined : login.key;
}

/** The tools of one login's server: as it has listed them within a day, else as it lists them now. */
export class KnownTools {
  readonly #ports: KnownToolsPorts;
  readonly #key: string | undefined;
  readonly #command: CommandFor;
  #latest: ToolList | undefined;

  /** @param key as of `toolListKey` */
  constructor(ports: KnownToolsPorts, key: string | undefined, command: CommandFor) {
    this.#ports = ports;
    this.#key = key;
    this.#command = command;
  }

  /** Keeps what the server has listed just now. @param result Of `tools/list`, all pages of it. */
  async keep(result: JsonObject): Promise<ToolList> {
    const list = toolListOf(result, this.#ports.clock.now());
    this.#latest = list;
    if (this.#key !== undefined) await this.#ports.toolLists.keep(this.#key, list);
    return list;
  }

  /** The server has changed its tools, or refuses what fits the list. */
  async forget(): Promise<void> {
    this.#latest = undefined;
    if (this.#key !== undefined) await this.#ports.toolLists.forget(this.#key);
  }

  /**
   * What the tool is to be given. The list is asked for only where it is needed and not kept; what does not fit a list
   * that was kept is held against a new one, as tools change.
   * @param ask Lists the tools; undefined where the server cannot: then text stays text.
   * @throws Failure `tool_unknown`, those of `argumentsFor`, and of `ask`
   */
  async argumentsFor(
    { name, given }: { readonly name: string; readonly given: readonly Given[] },
    ask: () => Promise<JsonObject | undefined>,
  ): Promise<JsonObject> {
    if (!needsSchema(given)) return plainArguments(given);
    const kept = await this.#kept();
    if (kept !== undefined) {
      try {
        return this.#fitting(kept, name, given);
      } catch (error) {
        if (!isFailure(error)) throw error;
      }
    }
    const listed = await ask();
    return listed === undefined ? plainArguments(given) : this.#fitting(await this.keep(listed), name, given);
  }

  /**
   * The tool of that name. @param ask as for `argumentsFor`
   * @throws Failure `tool_unknown`, and of `ask`
   */
  async tool(name: string, ask: () => Promise<JsonObject | undefined>): Promise<ToolSignature> {
    return (await this.kept(name)) ?? (await this.#listed(name, ask)) ?? this.#unknown(this.#latest, name);
  }

  /** Has the server a tool of that name? @param ask as for `argumentsFor` */
  async has(name: string, ask: () => Promise<JsonObject | undefined>): Promise<boolean> {
    return ((await this.kept(name)) ?? (await this.#listed(name, ask))) !== undefined;
  }

  async #listed(name: string, ask: () => Promise<JsonObject | undefined>): Promise<ToolSignature | undefined> {
    const listed = await ask();
    return listed && named(await this.keep(listed), name);
  }

  /** As it was listed last, within a day: nothing is asked for. */
  async kept(name: string): Promise<ToolSignature | undefined> {
    return named(await this.#kept(), name);
  }

  /** Calls a tool; its list is not kept any longer where the server refuses what fits it. @throws what the call throws */
  async trying(call: () => Promise<JsonObject>): Promise<JsonObject> {
    try {
      const result = await call();
      if (saysMisfit(result)) await this.forget();
      return result;
    } catch (error) {
      if (error instanceof CallRefused && misfits.has(error.error.code)) await this.forget();
      throw error;
    }
  }

  /** Whether parameters of that tool may have to go into headers. */
  async mayBeMarked(name: string): Promise<boolean> {
    const kept = await this.#kept();
    return named(kept, name)?.isMarked ?? kept?.isWhole !== true;
  }

  async #kept(): Promise<ToolList | undefined> {
    const { toolLists, clock } = this.#ports;
    return this.#latest ?? (this.#key === undefined ? undefined : toolLists.read(this.#key, clock.now()));
  }

  #fitting(list: ToolList, name: string, given: readonly Given[]): JsonObject {
    const tool = named(list, name);
    if (tool !== undefined) return argumentsFor(tool, given, this.#command(`${shellWord(name)} --help`));
    return list.isWhole ? this.#unknown(list, name) : plainArguments(given);
  }

  #unknown(list: ToolList | undefined, name: string): never {
    const called = named(list, /^([^(]+)\(.*\)$/s.exec(name)?.[1]);
    if (called !== undefined) {
      const examples = called.parameters.filter((one) => one.isRequired).map(exampleOf);
      const command = this.#command([shellWord(called.name), ...examples].join(' '));
      throw toolUnknown(name, `Did you mean ${called.name}? Its arguments stand apart: ${command}`);
    }
    if (list?.isWhole === false) {
      throw toolUnknown(name, `To call it without its help: ${this.#command(shellWord(name))}`, undefined, false);
    }
    const meant = closest(name, [...(list?.tools.map((one) => one.name) ?? []), ...methods]);
    const there = `the tools there are: ${this.#command('')}`;
    throw toolUnknown(name, meant === undefined ? `See ${there}` : `Did you mean ${meant}? See ${there}`, meant);
  }
}

function named(list: ToolList | undefined, name: string | undefined): ToolSignature | undefined {
  return list?.tools.find((one) => one.name === name);
}

/** Codes of JSON-RPC for a method or parameters that are not, or no longer, what the server takes. */
const misfits: ReadonlySet<number> = new Set([-32601, -32602]);

const unlisted = /^(?:MCP error -3260[12]\b|unknown tool\b|tool .{1,200} not found\b|(?:input )?validation error\b)/i;

/** Whether a server refuses a call so in the result of the tool, as many servers do. */
function saysMisfit(result: JsonObject): boolean {
  const [first] = Array.isArray(result['content']) ? result['content'] : [];
  const text = asObject(first)?.['text'];
  return result['isError'] === true && typeof text === 'string' && unlisted.test(text.slice(0, 300));
}
