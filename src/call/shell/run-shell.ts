import type { ArgumentsOf, CommandExit } from '../../core/command.js';
import { interrupted } from '../../core/output-failures.js';
import type { Files, Signals, Terminal } from '../../core/ports.js';
import { readWhole } from '../../core/read-whole.js';
import type { JsonObject } from '../../core/text/json.js';
import { inColumnsOrStacked, wrapped } from '../../core/text/layout.js';
import { toned } from '../../core/text/look.js';
import { printable, quoted } from '../../core/text/printable.js';
import { usageWrong } from '../../core/usage-failures.js';
import { LineSplitter } from '../../mcp/stdio/line-splitter.js';
import { largestInput } from '../call.command.js';
import { type OutputForm, outputForms, type shellTable } from '../call.options.js';
import type { Caller, CallerOptions } from '../caller.js';
import { printResult } from '../content/print-result.js';
import { argumentUnusable, toolFailed } from '../failures.js';
import { type CallerWorld, callerFor } from '../find-server.js';
import { withLoginOffered } from '../offer-login.js';
import { instructionLines, isOfLists, lines, notificationLine } from '../render.js';
import type { CommandFor } from '../tools/known-tools.js';
import { toolHelp } from '../tools/render-list.js';
import { timedLine } from '../watch.js';
import { asAsked, mayBeTool, readCall } from '../words.js';
import { completionOf } from './completion.js';
import { looksSecret, wordsOfLine } from './line-words.js';
import type { LineReader, OpenLineReader, ShellHistory } from './ports.js';

export interface ShellWorld extends CallerWorld {
  readonly files: Files;
  readonly signals: Signals;
  readonly printed: () => Promise<void>;
  /** Prints what was thrown, as at the end of the program, which goes on. */
  readonly printFailure: (error: unknown) => CommandExit;
  readonly openLineReader: OpenLineReader;
  readonly shellHistory: () => Promise<ShellHistory>;
}

type SessionArguments = ArgumentsOf<typeof shellTable>;

/** Longest line that is read where nobody types, in bytes. */
const longestLine = 1_048_576;

/** Words that are short for a method. */
const shortWords: Readonly<Record<string, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
};

/** What a line has come to: an exit code, or that the shell is to end. */
type LineEnd = CommandExit | 'exit';

/**
 * Reads commands from stdin, line by line, and runs them. The exit code is that of the last one that failed.
 * @throws Failure of the login, where there is no session
 */
export async function runLines(world: ShellWorld, args: SessionArguments): Promise<CommandExit> {
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
export async function runShell(real: ShellWorld, args: SessionArguments): Promise<CommandExit> {
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
  using reader = await world.openLineReader({
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

/** Whether a line holds no secret. One with arguments of a tool that nobody has listed may. */
async function mayBeKept(line: string, session: Caller): Promise<boolean> {
  if (line.trim() === '' || looksSecret(line)) return false;
  const words = wordsOfLine(line).words.filter((word) => !word.startsWith('--'));
  const [tool = '', ...given] = words[0] === 'tools/call' ? words.slice(1) : words;
  const isCall =
    words[0] === 'tools/call' || (mayBeTool(tool) && !ownWords.has(tool) && !Object.hasOwn(shortWords, tool));
  if (!isCall || given.length === 0) return true;
  const known = await session.listed(tool);
  return known !== undefined && known.takesSecret !== true;
}

/** Words of the shell itself. */
const ownWords: ReadonlySet<string> = new Set(['help', 'exit', 'quit', '#']);

interface Line {
  readonly session: Caller;
  readonly line: string;
  readonly cancelled: AbortSignal;
}

/** Runs one line; what fails is printed. @throws the reason of the program's end */
async function runLine(world: ShellWorld, args: SessionArguments, given: Line): Promise<LineEnd> {
  try {
    return await perform(world, args, given);
  } catch (error) {
    world.signal.throwIfAborted();
    return world.printFailure(error);
  }
}

async function perform(
  world: ShellWorld,
  args: SessionArguments,
  { session, line, cancelled }: Line,
): Promise<LineEnd> {
  const { words, open } = wordsOfLine(line);
  if (open !== '') throw argumentUnusable(line, `the ${open} at its end is not closed`);
  const [first, ...rest] = words;
  if (first === undefined || first.startsWith('#')) return 0;
  if (first === 'exit' || first === 'quit') return 'exit';
  if (first === 'help') return helpOn(world, { session, cancelled }, rest[0]);
  if (rest.includes('--help')) return helpOn(world, { session, cancelled }, toolOf(first, rest));
  const usual = { form: args.output, folder: args.save, isLong: args.long };
  const { form, folder, isLong, others } = lineOptions([first, ...rest], usual);
  const [method = '', ...values] = others;
  const meant = Object.hasOwn(shortWords, method) ? (shortWords[method] ?? method) : method;
  const wanted = await readCall([meant, ...values], {
    readFile: (path) => readWhole(world.files.read(path), path, largestInput),
    readStdin: () =>
      Promise.reject(usageWrong('In a shell “-” is not read: stdin is where commands come from.', 'help')),
  });
  const raw: Uint8Array[] | undefined = form === 'raw' ? [] : undefined;
  const result = await withLoginOffered(world, args, () => session.ask(wanted, { cancelled, raw }));
  const { method: asked, params } = asAsked(wanted, result);
  const given = { method: asked, result, raw: raw ?? [] };
  await printResult(world, given, { form: form ?? (world.json ? 'json' : 'text'), folder, isLong });
  if (asked === 'tools/call' && result['isError'] === true) throw toolFailed(String(params['name']));
  return 0;
}

/** The tool that a line with `--help` asks about. */
function toolOf(first: string, rest: readonly string[]): string {
  return first === 'tools/call' ? (rest.find((word) => word !== '--help') ?? '') : first;
}

/** How the result of one line is printed. */
interface LinePrinting {
  readonly form: OutputForm | undefined;
  readonly folder: string | undefined;
  readonly isLong: boolean;
}

/** The options of one line, wherever they stand in it, and its other words. @throws Failure `usage_wrong` */
function lineOptions(
  words: readonly string[],
  usual: LinePrinting,
): LinePrinting & { readonly others: readonly string[] } {
  let { form, folder, isLong } = usual;
  const isList = Object.hasOwn(shortWords, words[0] ?? '') || words[0]?.endsWith('/list') === true;
  const others: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, name, inline] = /^--(output|save)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) {
      if (isList && (word === '-l' || word === '--long')) isLong = true;
      else others.push(word);
      continue;
    }
    if (inline === undefined) at += 1;
    const value = inline ?? words[at] ?? '';
    if (value === '' || value.startsWith('--')) throw usageWrong(`--${name} needs a value.`, 'help');
    const known = outputForms.find((one) => one === value);
    if (name === 'save') folder = value;
    else if (known !== undefined) form = known;
    else throw usageWrong(`--output cannot be ${quoted(value, 80)}: it is one of ${outputForms.join(', ')}.`, 'help');
  }
  return { form, folder, isLong, others };
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

/** What can be typed. */
function helpLines({ look }: Pick<ShellWorld, 'look'>): readonly string[] {
  const rows = [
    ['tools, prompts, resources', 'what the server offers; with -l what parameters mean'],
    ['TOOL name=value …', 'call a tool; also name:=JSON, @file.json'],
    ['TOOL --help', 'what a tool takes; also help TOOL'],
    ['prompts/get NAME', 'a prompt'],
    ['resources/read URI', 'a resource; any other method likewise'],
    ['… --save DIR', 'save images, audio and files; also --output text, json or raw'],
    ['exit', 'leave (or Ctrl-D)'],
  ];
  const cells = rows.map(([words = '', text = '']) => [toned(look, 'name', words), text]);
  const keys = 'TAB completes, Ctrl-C cancels what runs, the arrow keys bring back lines.';
  return [...inColumnsOrStacked(look, cells), ...wrapped(keys, look.width)];
}

/** Of one tool, else of the shell. @throws Failure `tool_unknown` */
async function helpOn(
  { look, out }: Pick<ShellWorld, 'look' | 'out'>,
  { session, cancelled }: Pick<Line, 'session' | 'cancelled'>,
  name: string | undefined,
): Promise<CommandExit> {
  const help = async (of: string) => {
    const { tool, commandFor } = await session.tool(of, cancelled);
    return toolHelp(tool, commandFor, look);
  };
  const text = name === undefined ? helpLines({ look }) : await help(name);
  await out.exact.text(lines(text, (one) => one));
  return 0;
}

function sessionOf(world: ShellWorld, args: SessionArguments, notify: CallerOptions['notify']): Caller {
  const follows = world.terminal.interactive;
  const commandFor: CommandFor = (words) => (words === '' ? 'tools' : words);
  return callerFor(world, args, { name: 'shell', follows, commandFor, notify, tell: world.tell, warn: world.tell });
}
