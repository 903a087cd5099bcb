import type { ArgumentsOf, Command, CommandExit } from '../core/command.js';
import { interrupted } from '../core/failures.js';
import { readWhole } from '../core/files.js';
import type { Files, Signals } from '../core/ports.js';
import { toned } from '../core/text/look.js';
import { counted, printable, shellWord } from '../core/text/printable.js';
import { callTable } from './call.options.js';
import type { Caller } from './caller.js';
import { printResult } from './content/print-result.js';
import type { Introduction } from './conversation.js';
import { toolFailed } from './failures.js';
import { type CallerWorld, callerFor, withLoginOffered } from './find-server.js';
import type { DuringTask } from './follow-task.js';
import { instructionLines, isOfLists, notificationLine } from './render.js';
import { toolHelp } from './tools/render-list.js';
import { watch } from './watch.js';
import { asAsked, mayBeTool, readCall } from './words.js';

type Arguments = ArgumentsOf<typeof callTable>;

/** Limit of `@file` and `-`, in bytes. */
export const largestInput = 32 * 1024 * 1024;

interface World extends CallerWorld {
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
    const form = args.output ?? (world.json ? 'json' : 'text');
    const isList = wanted.method === 'tools/list' && form === 'text';
    const isIntroduced = isList && args.long && world.out.isTerminal;
    const { said, result } = await withLoginOffered(world, target, async () => {
      await using caller = callerOf(world, target);
      const said = isIntroduced ? await caller.introduction() : undefined;
      return { said, result: await caller.ask(wanted, form === 'raw' ? { raw } : {}) };
    });
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
  const { tool, commandFor } = await withLoginOffered(world, args, async () => {
    await using caller = callerOf(world, args);
    return await caller.tool(name);
  });
  await world.out.write(`${toolHelp(tool, commandFor, world.look).join('\n')}\n`);
  return 0;
}

function callerOf(world: World, args: Arguments): Caller {
  return callerFor(world, args, 'call', {
    during: taskUntilCtrlC(world.signals),
    notify: (method, params) => {
      if (!isOfLists(method)) world.tell(notificationLine(method, params));
      return world.printed();
    },
    tell: () => undefined,
    warn: world.terminal.tell,
  });
}

/**
 * While the server runs a task for a call, Ctrl-C ends that task alone, so that the server can be told. A second one ends
 * everything.
 */
function taskUntilCtrlC(signals: Signals): DuringTask {
  return () => {
    const task = new AbortController();
    const taken = signals.take((signal) => {
      if (signal !== 'SIGINT' || task.signal.aborted) return false;
      task.abort(interrupted());
      return true;
    });
    return { signal: task.signal, [Symbol.dispose]: () => taken[Symbol.dispose]() };
  };
}
