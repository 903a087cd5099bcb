import type { ArgumentsOf, Command, CommandOutput, CommandTable } from '../core/command.js';
import type { CorePorts, Files, Logins, Relogin } from '../core/ports.js';
import { readWhole } from '../core/read-whole.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../core/text/json.js';
import { Deadline } from '../core/time.js';
import { memoryOption, withOwnLogin } from '../stores/memory-store.js';
import { findLoginOrServer } from '../tokens/find-login.js';
import type { AuthorizerPorts } from '../tokens/token-in-use.js';
import { call } from './call.js';
import { argumentUnusable, callTimedOut, toolFailed } from './failures.js';
import { loginNote, loginOptions } from './login-options.js';
import { notificationLine, resultText, terminalText } from './render.js';

export const callTable = {
  name: 'call',
  summary: 'one protocol call: list or call tools, read resources, get prompts',
  positionals: [
    { name: 'server', describe: 'the server’s URL, or the name of a login', required: true },
    {
      name: 'method',
      describe: 'a tool’s name, or a method such as tools/list, resources/read; without: tools/list',
      required: false,
    },
    {
      name: 'arguments',
      describe: 'key=value, key:=json, @file with a JSON object, - for one on stdin',
      required: false,
      many: true,
    },
  ],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    ...loginOptions,
    memoryOption,
    {
      name: 'elicitation',
      kind: 'string',
      choices: ['ask', 'defaults', 'decline'],
      value: 'HOW',
      describe: 'when the server asks something in the middle of a call',
      fallback: 'ask on a terminal, else decline',
    },
    {
      name: 'timeout',
      kind: 'number',
      min: 1,
      max: 86_400,
      default: 60,
      value: 'SECONDS',
      describe: 'how long to wait for an answer',
    },
  ],
  examples: [
    { command: 'postern call work', describe: 'list the tools' },
    { command: 'postern call work add a:=5 b:=3', describe: 'call the tool “add”' },
    { command: 'postern call work resources/read uri=file:///x', describe: 'any method' },
  ],
  notes: [
    loginNote,
    'The result goes to stdout, progress to stderr. A tool that fails is exit 8. Limits: 32 MiB for a message, 128 MiB and 100 pages of a list for all that one call reads (each event of a stream counts 512 bytes more, each line 32); postern config shows how to change them.',
  ],
} as const satisfies CommandTable;

type Arguments = ArgumentsOf<typeof callTable>;

/** Limit of `@file` and `-`, in bytes. */
const largestInput = 32 * 1024 * 1024;

interface World extends AuthorizerPorts, CommandOutput, Pick<CorePorts, 'terminal' | 'limits'> {
  readonly files: Files;
  readonly logins: () => Promise<Logins>;
  /** Resolves once stderr has room again, or the program is to end. */
  readonly printed: () => Promise<void>;
}

export const command: Command<typeof callTable, World> = {
  table: callTable,
  async run(world, args) {
    const { files } = world;
    const words = [...(args.method === undefined ? [] : [args.method]), ...args.arguments];
    const wanted = await readCall(words, {
      readFile: (path) => readWhole(files.read(path), path, largestInput),
      readStdin: () => readWhole(files.stdin(), 'stdin', largestInput),
    });
    const result = await perform(world, args, wanted);
    if (world.json) {
      await world.out.exact.json(result);
    } else {
      const text = resultText(wanted.method, result);
      await world.out.exact.text(world.out.isTerminal ? terminalText(text) : text);
    }
    if (wanted.method === 'tools/call' && result['isError'] === true) throw toolFailed(String(wanted.params['name']));
    return 0;
  },
};

async function perform(world: World, given: Arguments, wanted: ProtocolCall): Promise<JsonObject> {
  const logins = await world.logins();
  const args = withOwnLogin(given);
  const target = { server: args.server, account: args.account };
  const login = args.login ? await logins.findOrMake({ ...args, ...target }) : await findLoginOrServer(world, target);
  using deadline = new Deadline(args.timeout * 1000, () => callTimedOut(wanted.method, args.timeout));
  return await call(world, {
    ...wanted,
    login,
    relogin: outsideTheDeadline(logins.relogin(args), deadline),
    policy: args.elicitation ?? (world.terminal.interactive ? 'ask' : 'decline'),
    notify: (method, params) => {
      world.tell(notificationLine(method, params));
      return world.printed();
    },
    signal: AbortSignal.any([world.signal, deadline.signal]),
  });
}

/** The time that a person takes to log in does not count. */
function outsideTheDeadline(relogin: Relogin | undefined, deadline: Deadline): Relogin | undefined {
  return (
    relogin &&
    (async (login, scopes, begin) => {
      deadline.stop();
      const better = await relogin(login, scopes, begin);
      deadline.restart();
      return better;
    })
  );
}

export interface ProtocolCall {
  readonly method: string;
  readonly params: JsonObject;
}

interface ArgumentSources {
  readFile(path: string): Promise<Uint8Array>;
  readStdin(): Promise<Uint8Array>;
}

/** Methods without a slash; any other word is a tool's name. */
const plainMethods = new Set(['ping', 'initialize']);

/**
 * Reads the words after the server: nothing lists the tools; `tools/call NAME`, `prompts/get NAME` and
 * `resources/read URI` take their subject first; another word with a slash is a method of that name; a word without
 * one is a tool to call. Then `key=value` (text), `key:=JSON`, `@file` or `-` (a JSON object from there).
 * @throws Failure `argument_unusable`
 */
export async function readCall(words: readonly string[], sources: ArgumentSources): Promise<ProtocolCall> {
  const [first, ...rest] = words;
  if (first === undefined) return { method: 'tools/list', params: {} };
  if (!first.includes('/') && !plainMethods.has(first)) {
    return { method: 'tools/call', params: { name: first, arguments: await readArguments(rest, sources) } };
  }
  const subject = subjects[first];
  if (subject === undefined) return { method: first, params: await readArguments(rest, sources) };
  const [name, ...others] = rest;
  if (name?.startsWith(`${subject.key}=`)) return { method: first, params: await readArguments(rest, sources) };
  if (name === undefined || name.startsWith('@') || name === '-') {
    throw argumentUnusable(first, `it needs ${subject.what} after it`);
  }
  const given = await readArguments(others, sources);
  const params = subject.nested ? { arguments: given } : given;
  return { method: first, params: { ...params, [subject.key]: name } };
}

const subjects: Readonly<
  Record<string, { readonly key: string; readonly what: string; readonly nested: boolean } | undefined>
> = {
  'tools/call': { key: 'name', what: 'the name of a tool', nested: true },
  'prompts/get': { key: 'name', what: 'the name of a prompt', nested: true },
  'resources/read': { key: 'uri', what: 'the URI of a resource', nested: false },
};

async function readArguments(words: readonly string[], sources: ArgumentSources): Promise<JsonObject> {
  const given: JsonObject[] = [];
  for (const word of words) given.push(await readArgument(word, sources));
  return Object.fromEntries(given.flatMap((one) => Object.entries(one)));
}

async function readArgument(word: string, sources: ArgumentSources): Promise<JsonObject> {
  if (word === '-') return objectIn(word, await sources.readStdin());
  if (word.startsWith('@')) return objectIn(word, await sources.readFile(word.slice(1)));
  const parts = /^([^=]*?)(:?=)(.*)$/s.exec(word);
  const [, name = '', sign, text = ''] = parts ?? [];
  if (parts === null || name === '') throw argumentUnusable(word, 'it is not of the form key=value');
  return { [name]: sign === '=' ? text : jsonIn(word, new TextEncoder().encode(text)) };
}

function objectIn(word: string, bytes: Uint8Array): JsonObject {
  const object = asObject(jsonIn(word, bytes));
  if (object === undefined) throw argumentUnusable(word, 'what is there is no JSON object');
  return object;
}

function jsonIn(word: string, bytes: Uint8Array): JsonValue {
  const parsed = parseJson(bytes, { maxDepth: 200, maxKeys: 1_000_000 });
  if (!parsed.ok) {
    throw argumentUnusable(word, `what is there is not the JSON expected (${parsed.problem.replaceAll('_', ' ')})`);
  }
  return parsed.value;
}
