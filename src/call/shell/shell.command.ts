import type { Command, CommandExit } from '../../core/command.js';
import { interrupted } from '../../core/failures.js';
import type { Signals, Terminal } from '../../core/ports.js';
import type { JsonObject } from '../../core/text/json.js';
import { wrapped } from '../../core/text/layout.js';
import { toned } from '../../core/text/look.js';
import { printable } from '../../core/text/printable.js';
import { LineSplitter } from '../../mcp/stdio/line-splitter.js';
import { shellTable } from '../call.options.js';
import type { Caller, CallerOptions } from '../caller.js';
import { argumentUnusable } from '../failures.js';
import { callerFor, withLoginOffered } from '../find-server.js';
import { instructionLines, isOfLists, notificationLine, timedLine } from '../render.js';
import type { CommandFor } from '../tools/known-tools.js';
import { type Completion, completionOf } from './completion.js';
import { type LineWorld, mayBeKept, runLine, type SessionArguments } from './run-line.js';

/** What a person types at a prompt, line by line. */
export interface LineReader {
  /** The next line; undefined at the end (Ctrl-D). @throws the signal's reason */
  next(): Promise<string | undefined>;
  /** Shows something above the line that is being typed. */
  above(show: () => void): void;
  /** Hands the keyboard over until the work is done. */
  aside<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface LineReaderOptions {
  /** May have tones. */
  readonly prompt: string;
  /** The newest first. */
  readonly history: readonly string[];
  complete(line: string): Promise<Completion>;
  /** Ctrl-C where nothing is typed. */
  nothingToCancel(): void;
  readonly signal: AbortSignal;
}

export type OpenLineReader = (options: LineReaderOptions) => Promise<LineReader>;

/** Lines that were typed in earlier shells. */
export interface ShellHistory {
  /** The newest first. @throws Failure `state_unsafe` */
  read(): Promise<readonly string[]>;
  /** @throws Failure `state_unsafe`, `state_unwritable` */
  add(line: string): Promise<void>;
}

interface ShellWorld extends LineWorld {
  readonly signals: Signals;
  readonly printed: () => Promise<void>;
  readonly openLineReader: OpenLineReader;
  readonly shellHistory: () => Promise<ShellHistory>;
}

export const command: Command<typeof shellTable, ShellWorld> = {
  table: shellTable,
  run: (world, args) => (world.terminal.interactive ? runShell(world, args) : runLines(world, args)),
};

/** Longest line that is read where nobody types, in bytes. */
const longestLine = 1_048_576;

/**
 * Reads commands from stdin, line by line, and runs them. The exit code is that of the last one that failed.
 * @throws Failure of the login, where there is no session
 */
async function runLines(world: ShellWorld, args: SessionArguments): Promise<CommandExit> {
  await using session = sessionOf(world, args, (method, params) => {
    if (!isOfLists(method)) world.tell(notificationLine(method, params));
    return world.printed();
  });
  await session.introduction(world.signal);
  let last: CommandExit = 0;
  for await (const line of linesOf(world.files.stdin())) {
    const end = await runLine(world, args, { session, line, cancelled: world.signal });
    world.signal.throwIfAborted();
    if (end === 'exit') break;
    if (end !== 0) last = end;
  }
  return last;
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const splitter = new LineSplitter(longestLine);
  const textOf = (line: Uint8Array | 'too_long') => {
    if (line === 'too_long') throw argumentUnusable('stdin', `a line is longer than ${longestLine} bytes`);
    return new TextDecoder().decode(line);
  };
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) yield textOf(line);
  }
  for (const line of splitter.finish()) yield textOf(line);
}

/** Asks for commands at the terminal, until the person ends it. @throws as `runLines` */
async function runShell(real: ShellWorld, args: SessionArguments): Promise<CommandExit> {
  const shown: { reader: LineReader | undefined } = { reader: undefined };
  const say = (line: string) => {
    if (shown.reader === undefined) real.tell(line);
    else shown.reader.above(() => real.tell(line));
  };
  const world: ShellWorld = { ...real, tell: say, terminal: leavingPrompt(real.terminal, () => shown.reader) };
  await using session = sessionOf(world, args, (method, params) => {
    say(noteOf(world, method, params));
    return real.printed();
  });
  const {
    server,
    name = server,
    instructions,
  } = await cancellable(world, (cancelled) => withLoginOffered(world, args, () => session.introduction(cancelled)));
  const history = await world.shellHistory();
  const greeting = `Connected to ${printable(name, 80)}. “help” says what to type; Ctrl-D ends.`;
  const { width } = world.tellLook;
  for (const line of [...wrapped(greeting, width), ...instructionLines(instructions, width)]) world.tell(line);
  const reader = await world.openLineReader({
    prompt: `${toned(world.tellLook, 'name', promptOf(args))}> `,
    history: await history.read().catch(() => []),
    complete: (line) => completionOf(line, (method) => session.entries(method)),
    nothingToCancel: () => real.tell('Nothing runs. Ctrl-D or “exit” ends the shell.'),
    signal: world.signal,
  });
  shown.reader = reader;
  for (;;) {
    const line = await reader.next();
    if (line === undefined) return 0;
    const end = await cancellable(world, (cancelled) => runLine(world, args, { session, line, cancelled }));
    if (await mayBeKept(line, session)) await history.add(line).catch(() => undefined); // now the tools are known
    world.signal.throwIfAborted();
    if (end === 'exit') return 0;
  }
}

/** Work that Ctrl-C ends, and nothing else with it. */
async function cancellable<Result>(
  { signals }: Pick<ShellWorld, 'signals'>,
  work: (cancelled: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const cancelling = new AbortController();
  using _taken = signals.take((signal) => {
    if (signal !== 'SIGINT') return false;
    cancelling.abort(interrupted());
    return true;
  });
  return await work(cancelling.signal);
}

/** Questions of the server leave the prompt, where it stands, and come back to it. */
function leavingPrompt(terminal: Terminal, reader: () => LineReader | undefined): Terminal {
  const aside = <Result>(work: () => Promise<Result>) => reader()?.aside(work) ?? work();
  return {
    interactive: terminal.interactive,
    tell: (line) => terminal.tell(line),
    listen: (enter) => terminal.listen(enter),
    event: (event) => terminal.event(event),
    ask: (question, options) => aside(() => terminal.ask(question, options)),
    choose: (question, choices, signal) => aside(() => terminal.choose(question, choices, signal)),
  };
}

/** As `call` shows progress and tasks, and `call --watch` the rest. */
function noteOf({ tellLook: look, clock }: ShellWorld, method: string, params: JsonObject): string {
  const isOfCall = method === 'notifications/progress' || method === 'notifications/tasks';
  return isOfCall ? notificationLine(method, params) : timedLine({ look, clock }, method, params);
}

/** What stands before each line. */
function promptOf({ server, command }: SessionArguments): string {
  const name = server ?? command[0]?.split(/[\\/]/).at(-1) ?? 'postern';
  const host = URL.canParse(name) && name.includes('://') ? new URL(name).host : name;
  return printable(host, 40);
}

function sessionOf(world: ShellWorld, args: SessionArguments, notify: CallerOptions['notify']): Caller {
  const follows = world.terminal.interactive;
  const commandFor: CommandFor = (words) => (words === '' ? 'tools' : words);
  return callerFor(world, args, 'shell', { follows, commandFor, notify, tell: world.tell, warn: world.tell });
}
