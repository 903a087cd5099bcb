import { printable } from '../../core/text/printable.js';
import type { ToolList, ToolParameter } from '../../stores/ports.js';
import { outputForms } from '../call.options.js';
import { wordsOfLine } from './line-words.js';
import type { Completion } from './ports.js';

/** What the server offers, as far as it is asked for. */
export interface Offered {
  tools(): Promise<ToolList['tools']>;
  /** Each with the names of its arguments. */
  prompts(): Promise<readonly { readonly name: string; readonly parameters: readonly string[] }[]>;
  /** Their URIs. */
  resources(): Promise<readonly string[]>;
}

/** Words that the shell understands by itself. */
const ownWords = ['tools', 'prompts', 'resources', 'help', 'exit'] as const;

const methods = [
  'tools/call',
  'tools/list',
  'prompts/get',
  'prompts/list',
  'resources/read',
  'resources/list',
  'resources/subscribe',
  'ping',
];

const subscribing = ['resources/read', 'resources/subscribe', 'resources/unsubscribe'];

/** What fits at the end of a line: own words, tools and methods first, then names of arguments, then their choices. */
export async function completionOf(line: string, offered: Offered): Promise<Completion> {
  const { words, open } = wordsOfLine(line);
  const isBegun = open !== '' || (line !== '' && !/\s$/.test(line));
  const part = isBegun ? (/\S*$/.exec(line)?.[0] ?? '') : '';
  if (open !== '' || (isBegun && part !== words.at(-1))) return [[], line]; // quotes are not completed
  const before = isBegun ? words.slice(0, -1) : words;
  const candidates = (await candidatesAfter(before, part, offered)).filter(isPlain);
  return [candidates.filter((one) => one.startsWith(part)), part];
}

/** Completed text is typed: nothing that a server names may be more than a word of it. */
function isPlain(candidate: string): boolean {
  const word = candidate.trimEnd();
  return printable(word, 300) === word && wordsOfLine(word).words[0] === word;
}

async function candidatesAfter(before: readonly string[], part: string, offered: Offered): Promise<readonly string[]> {
  if (before.at(-1) === '--output') return outputForms.map((form) => `${form} `);
  if (before.length > 0 && part.startsWith('--')) return ['--output ', '--save '];
  const [first, second] = before;
  const tools = async () => (await offered.tools()).map(({ name }) => `${name} `);
  if (first === undefined)
    return [...(await tools()), ...ownWords.map((word) => `${word} `), ...methods.map((word) => `${word} `)];
  const isSubject = before.length === 1;
  if (first === 'help') return isSubject ? tools() : [];
  if (subscribing.includes(first)) return isSubject ? offered.resources() : [];
  if (first === 'tools/call' && isSubject) return tools();
  if (first === 'prompts/get') {
    const prompts = await offered.prompts();
    if (isSubject) return prompts.map(({ name }) => `${name} `);
    const names = prompts.find(({ name }) => name === second)?.parameters ?? [];
    return leftOf(names, before.slice(2)).map((name) => `${name}=`);
  }
  const name = first === 'tools/call' ? second : first;
  const tool = (await offered.tools()).find((one) => one.name === name);
  return tool === undefined ? [] : argumentsOf(tool.parameters, before.slice(first === 'tools/call' ? 2 : 1), part);
}

function argumentsOf(parameters: readonly ToolParameter[], given: readonly string[], part: string): readonly string[] {
  const valued = parameters.find(({ name }) => part.startsWith(`${name}=`));
  if (valued !== undefined) return valuesOf(valued).map((value) => `${valued.name}=${value} `);
  const names = parameters.map(({ name }) => name);
  return leftOf(names, given).map((name) => `${name}=`);
}

function valuesOf({ choices, types }: ToolParameter): readonly string[] {
  if (choices !== undefined) return choices.map(String);
  return types.length === 1 && types[0] === 'boolean' ? ['true', 'false'] : [];
}

function leftOf(names: readonly string[], given: readonly string[]): readonly string[] {
  return names.filter((name) => given.every((word) => !word.startsWith(`${name}=`) && !word.startsWith(`${name}:=`)));
}
