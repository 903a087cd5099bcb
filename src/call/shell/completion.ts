import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import { printable } from '../../core/text/printable.js';
import type { ToolParameter } from '../../stores/state/tool-lists.js';
import { outputForms } from '../call.options.js';
import { methods } from '../failures.js';
import { toolListOf } from '../tools/signatures.js';
import { wordsOfLine } from './line-words.js';

/** What fits at the end of a line, and the part of the line that it takes the place of. */
export type Completion = readonly [fitting: readonly string[], part: string];

/** Lists what the server offers, by the method that lists it. */
type ListEntries = (method: string) => Promise<readonly JsonObject[]>;

/** Words that the shell understands by itself. */
const ownWords = ['tools', 'prompts', 'resources', 'help', 'exit'] as const;

const ofOneResource = ['resources/read', 'resources/subscribe', 'resources/unsubscribe'];

/** What fits at the end of a line: own words, tools and methods first, then names of arguments, then their choices. */
export async function completionOf(line: string, listed: ListEntries): Promise<Completion> {
  const { words, open } = wordsOfLine(line);
  const isBegun = open !== '' || (line !== '' && !/\s$/.test(line));
  const part = isBegun ? (/\S*$/.exec(line)?.[0] ?? '') : '';
  if (open !== '' || (isBegun && part !== words.at(-1))) return [[], line]; // quotes are not completed
  const before = isBegun ? words.slice(0, -1) : words;
  const candidates = (await candidatesAfter(before, part, listed)).filter(isPlain);
  return [candidates.filter((one) => one.startsWith(part)), part];
}

/** Completed text is typed: nothing that a server names may be more than a word of it. */
function isPlain(candidate: string): boolean {
  const word = candidate.trimEnd();
  return printable(word, 300) === word && wordsOfLine(word).words[0] === word;
}

async function candidatesAfter(
  before: readonly string[],
  part: string,
  listed: ListEntries,
): Promise<readonly string[]> {
  if (before.at(-1) === '--output') return outputForms.map((form) => `${form} `);
  if (before.length > 0 && part.startsWith('--')) return ['--output ', '--save '];
  const [first, second] = before;
  const signatures = async () => toolListOf({ tools: [...(await listed('tools/list'))] }, 0).tools;
  const tools = async () => (await signatures()).map(({ name }) => `${name} `);
  if (first === undefined)
    return [
      ...(await tools()),
      ...ownWords.map((word) => `${word} `),
      ...[...methods, 'ping'].map((word) => `${word} `),
    ];
  const isSubject = before.length === 1;
  if (first === 'help') return isSubject ? tools() : [];
  if (ofOneResource.includes(first)) return isSubject ? namesIn(await listed('resources/list'), 'uri') : [];
  if (first === 'tools/call' && isSubject) return tools();
  if (first === 'prompts/get') {
    const prompts = await listed('prompts/list');
    if (isSubject) return namesIn(prompts, 'name').map((name) => `${name} `);
    const parameters = prompts.find(({ name }) => name === second)?.['arguments'];
    const names = namesIn(Array.isArray(parameters) ? parameters : [], 'name');
    return leftOf(names, before.slice(2)).map((name) => `${name}=`);
  }
  const name = first === 'tools/call' ? second : first;
  const tool = (await signatures()).find((one) => one.name === name);
  return tool === undefined ? [] : argumentsOf(tool.parameters, before.slice(first === 'tools/call' ? 2 : 1), part);
}

function namesIn(entries: readonly JsonValue[], member: string): readonly string[] {
  return entries.map((entry) => stringField(asObject(entry) ?? {}, member) ?? '');
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
