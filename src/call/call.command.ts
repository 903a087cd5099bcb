import type { ArgumentsOf, Command, CommandExit, CommandOutput } from '../core/command.js';
import { interrupted } from '../core/output-failures.js';
import type { CorePorts, Files, Signals } from '../core/ports.js';
import { readWhole } from '../core/read-whole.js';
import { toned } from '../core/text/look.js';
import { counted, printable, shellWord } from '../core/text/printable.js';
import { Deadline } from '../core/time.js';
import { withOwnLogin } from '../stores/memory-store.js';
import type { StorePorts } from '../stores/ports.js';
import type { AuthorizerPorts } from '../tokens/token-in-use.js';
import { type CallRequest, call, commandFor, toolNamed } from './call.js';
import { callTable } from './call.options.js';
import { printResult } from './content/print-result.js';
import type { Introduction } from './conversation.js';
import type { PersonPorts } from './elicitation/ask-page.js';
import { callTimedOut, toolFailed } from './failures.js';
import { findServer, outsideTheDeadline, programOf, type ServerWorld } from './find-server.js';
import type { DuringTask } from './follow-task.js';
import { withLoginOffered } from './offer-login.js';
import { instructionLines, isOfLists, notificationLine } from './render.js';
import { toolHelp } from './tools/help.js';
import { watch } from './watch.js';
import { asAsked, mayBeTool, type ProtocolCall, readCall } from './words.js';

type Arguments = ArgumentsOf<typeof callTable>;

/** Limit of `@file` and `-`, in bytes. */
export const largestInput = 32 * 1024 * 1024;

interface World
  extends AuthorizerPorts,
    CommandOutput,
    ServerWorld,
    Pick<CorePorts, 'limits'>,
    PersonPorts,
    Pick<StorePorts, 'toolLists'> {
  readonly files: Files;
  readonly signals: Signals;
  /** Resolves once stderr has room again, or the program is to end. */
  readonly printed: () => Promise<void>;
  /** `--help` for a tool. */
  readonly help: boolean;
}

export const command: Command<typeof callTable, World> = {
  table: callTable,
  async run(world, args) {
    const { files } = world;
    const { target, words } = wordsOf(args);
    if (world.help) return explain(world, target, toolIn(words) ?? '');
    if (args.watch) return withLoginOffered(world, target, () => watch(world, target, words));
    const wanted = await readCall(words, {
      readFile: (path) => readWhole(files.read(path), path, largestInput),
      readStdin: () => readWhole(files.stdin(), 'stdin', largestInput),
    });
    const raw: Uint8Array[] = [];
    const keep = (method: string, bytes: Uint8Array) =>
      [wanted.method, wanted.orTool && 'tools/call'].includes(method) && raw.push(bytes);
    const form = args.output ?? (world.json ? 'json' : 'text');
    const isList = wanted.method === 'tools/list' && form === 'text';
    let said: Introduction | undefined;
    const introduced = (introduction: Introduction) => {
      said = introduction;
    };
    const more = {
      ...(form === 'raw' && { raw: keep }),
      ...(isList && args.long && world.out.isTerminal && { introduced }),
    };
    const result = await withLoginOffered(world, target, () =>
      perform(world, target, wanted, (request) => call(world, { ...request, ...more })),
    );
    tellIntroduction(world, said);
    const { method, params } = asAsked(wanted, result);
    await printResult(world, { method, result, raw }, { form, folder: args.save, isLong: args.long });
    if (isList) tellMore(world, args, result['tools']);
    if (method === 'tools/call' && result['isError'] === true) {
      throw toolFailed(String(params['name']), args.command.length > 0 ? undefined : args.server);
    }
    return 0;
  },
};

/** What the server says of itself, above its list. */
function tellIntroduction({ tell, tellLook }: World, said: Introduction | undefined): void {
  const { name, instructions } = said ?? {};
  const head = name === undefined ? [] : [toned(tellLook, 'strong', printable(name, 80))];
  const lines = [...head, ...instructionLines(instructions, tellLook.width)];
  for (const line of lines.length === 0 ? [] : [...lines, '']) tell(line);
}

/** At a terminal: how many tools there are, and what says more of them. */
function tellMore({ out, tell, tellLook }: World, { server, long, command }: Arguments, tools: unknown): void {
  if (!out.isTerminal || server === undefined || command.length > 0) return;
  const words = `postern call ${shellWord(server)}`;
  const count = Array.isArray(tools) ? `${counted(tools.length, 'tool')}. ` : '';
  if (!long) tell(toned(tellLook, 'dim', `${count}What their parameters mean: ${words} -l`));
  tell(toned(tellLook, 'dim', `${long ? count : ''}All of one tool: ${words} TOOL --help`));
}

/** Behind “--” stands the server itself: then no word names one. */
function wordsOf(args: Arguments): { readonly target: Arguments; readonly words: readonly string[] } {
  const { server, method, command } = args;
  const words = [...(method === undefined ? [] : [method]), ...args.arguments];
  if (command.length === 0 || server === undefined) return { target: args, words };
  return { target: { ...args, server: undefined }, words: [server, ...words] };
}

/** Is it the help of a tool that is asked for, which its server alone can tell? */
export function isToolHelp(args: Arguments): boolean {
  return !args.watch && toolIn(wordsOf(args).words) !== undefined;
}

function toolIn([first, second]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  return first === 'tools/call' ? second : mayBeTool(first) ? first : undefined;
}

async function explain(world: World, args: Arguments, name: string): Promise<CommandExit> {
  const wanted = { method: 'tools/list', params: {} };
  const lines = await withLoginOffered(world, args, () =>
    perform(world, args, wanted, async (request) => {
      const tool = await toolNamed(world, name, request);
      return toolHelp(tool, commandFor(request), world.look);
    }),
  );
  await world.out.write(`${lines.join('\n')}\n`);
  return 0;
}

/** Finds the server, and has it asked within `--timeout`. */
async function perform<Result>(
  world: World,
  args: Arguments,
  wanted: ProtocolCall,
  work: (request: CallRequest) => Promise<Result>,
): Promise<Result> {
  const logins = await world.logins();
  const login = await findServer(world, args, 'call');
  await using _program = programOf(login);
  using deadline = new Deadline(args.timeout * 1000, () => callTimedOut(wanted.method, args.timeout));
  const ending = new CallEnding(world.signals, world.signal, deadline.signal);
  return await work({
    ...wanted,
    ...(args.server !== undefined && { named: args.server }),
    login,
    relogin: outsideTheDeadline(logins.relogin(withOwnLogin(args)), deadline),
    policy: args.elicitation ?? (world.terminal.interactive ? 'ask' : 'decline'),
    opensPages: !args.noBrowser,
    deadline,
    protocol: args.protocol,
    notify: (method, params) => {
      if (!isOfLists(method)) world.tell(notificationLine(method, params));
      return world.printed();
    },
    during: ending.duringTask,
    signal: ending.signal,
  });
}

/**
 * What ends a call: all of it at once, but while the server runs a task for it, Ctrl-C and the time limit end that task
 * first, so that the server can be told. A second Ctrl-C ends everything.
 */
class CallEnding {
  readonly #signals: Signals;
  readonly #all = new AbortController();
  #task: AbortController | undefined;
  /** Ends the conversation. */
  readonly signal: AbortSignal;

  /** @param ends The end of the program. @param deadline That of the call alone. */
  constructor(signals: Signals, ends: AbortSignal, deadline: AbortSignal) {
    this.#signals = signals;
    this.signal = AbortSignal.any([ends, this.#all.signal]);
    const expire = () => (this.#task ?? this.#all).abort(deadline.reason);
    deadline.addEventListener('abort', expire, { once: true });
  }

  readonly duringTask: DuringTask = () => {
    const task = new AbortController();
    this.#task = task;
    const taken = this.#signals.take((signal) => {
      if (signal !== 'SIGINT' || task.signal.aborted) return false;
      task.abort(interrupted());
      return true;
    });
    return {
      signal: task.signal,
      [Symbol.dispose]: () => {
        taken[Symbol.dispose]();
        this.#task = undefined;
      },
    };
  };
}
