import type { ArgumentsOf, CommandExit } from '../../core/command.js';
import { usageWrong } from '../../core/failures.js';
import { readWhole } from '../../core/files.js';
import type { Files } from '../../core/ports.js';
import { inColumnsOrStacked, wrapped } from '../../core/text/layout.js';
import { toned } from '../../core/text/look.js';
import { quoted } from '../../core/text/printable.js';
import { largestInput } from '../call.command.js';
import { type OutputForm, outputForms, type shellTable } from '../call.options.js';
import type { Caller } from '../caller.js';
import { printResult } from '../content/print-result.js';
import { argumentUnusable, toolFailed } from '../failures.js';
import { type CallerWorld, withLoginOffered } from '../find-server.js';
import { lines } from '../render.js';
import { toolHelp } from '../tools/render-list.js';
import { asAsked, mayBeTool, readCall } from '../words.js';
import { looksSecret, wordsOfLine } from './line-words.js';

export interface LineWorld extends CallerWorld {
  readonly files: Files;
  /** Prints what was thrown, as at the end of the program, which goes on. */
  readonly printFailure: (error: unknown) => CommandExit;
}

export type SessionArguments = ArgumentsOf<typeof shellTable>;

/** Words that are short for a method. */
const shortWords: Readonly<Record<string, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
};

/** What a line has come to: an exit code, or that the shell is to end. */
type LineEnd = CommandExit | 'exit';

/** Words of the shell itself. */
const ownWords: ReadonlySet<string> = new Set(['help', 'exit', 'quit', '#']);

export interface Line {
  readonly session: Caller;
  readonly line: string;
  readonly cancelled: AbortSignal;
}

/** Runs one line; what fails is printed. @throws the reason of the program's end */
export async function runLine(world: LineWorld, args: SessionArguments, given: Line): Promise<LineEnd> {
  try {
    return await perform(world, args, given);
  } catch (error) {
    world.signal.throwIfAborted();
    return world.printFailure(error);
  }
}

async function perform(world: LineWorld, args: SessionArguments, { session, line, cancelled }: Line): Promise<LineEnd> {
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

/** Whether a line holds no secret. One with arguments of a tool that nobody has listed may. */
export async function mayBeKept(line: string, session: Caller): Promise<boolean> {
  if (line.trim() === '' || looksSecret(line)) return false;
  const words = wordsOfLine(line).words.filter((word) => !word.startsWith('--'));
  const [tool = '', ...given] = words[0] === 'tools/call' ? words.slice(1) : words;
  const isCall =
    words[0] === 'tools/call' || (mayBeTool(tool) && !ownWords.has(tool) && !Object.hasOwn(shortWords, tool));
  if (!isCall || given.length === 0) return true;
  const known = await session.listed(tool);
  return known !== undefined && known.takesSecret !== true;
}

/** What can be typed. */
function helpLines({ look }: Pick<LineWorld, 'look'>): readonly string[] {
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
  { look, out }: Pick<LineWorld, 'look' | 'out'>,
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
