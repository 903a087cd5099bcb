import { asObject, type JsonObject, type JsonValue, jsonTrouble, parseJson } from '../core/text/json.js';
import { shellWord } from '../core/text/printable.js';
import { argumentUnusable, methods } from './failures.js';
import { type Given, plainArguments } from './tools/arguments.js';

/** A request of the protocol, as a command line says it. */
export interface ProtocolCall {
  readonly method: string;
  /** Of a tool without its arguments. */
  readonly params: JsonObject;
  /** What is given to a tool: its schema says what to make of it. */
  readonly tool?: { readonly name: string; readonly given: readonly Given[] };
  /** The method is none of the protocol's: a tool of that name is called instead, where the server lists one. */
  readonly orTool?: ProtocolCall['tool'];
}

/** What was asked in the end, as the result shows. */
export function asAsked(wanted: ProtocolCall, result: JsonObject): ProtocolCall {
  const { orTool } = wanted;
  return orTool === undefined || !Array.isArray(result['content']) ? wanted : toolCall(orTool.name, orTool.given);
}

/** Where `@file` and `-` are read. */
interface ArgumentSources {
  readFile(path: string): Promise<Uint8Array>;
  readStdin(): Promise<Uint8Array>;
}

/** Methods without a slash; any other word is a tool's name. */
const plainMethods = new Set(['ping', 'initialize']);

/** Whether the first word after the server is the name of a tool; `tool(url: "a/b")` is meant as one. */
function isToolName(word: string): boolean {
  return (!word.includes('/') || /^[\w.-]+\(/.test(word)) && !plainMethods.has(word);
}

/** Of the protocol, beside those that are asked by name. */
const otherMethods = /^(?:notifications|tasks|subscriptions|server)\/|^resources\/unsubscribe$/;

/** The same for a name with a slash, such as `my/tool`, unless the protocol has a method of that name. */
export function mayBeTool(word: string): boolean {
  return isToolName(word) || (word.includes('/') && !methods.includes(word) && !otherMethods.test(word));
}

/**
 * Reads the words after the server: nothing lists the tools; `tools/call NAME`, `prompts/get NAME` and
 * `resources/read URI` take their subject first; another word with a slash is a method of that name, or a tool where the
 * server lists one; a word without a slash is a tool to call. Then `key=value` (text), `key:=JSON`, `@file` or `-` (a JSON object from there), and for a
 * tool a value alone.
 * @throws Failure `argument_unusable`
 */
export async function readCall(words: readonly string[], sources: ArgumentSources): Promise<ProtocolCall> {
  const [first, ...rest] = words;
  if (first === undefined) return { method: 'tools/list', params: {} };
  if (isToolName(first)) return toolCall(first, await readArguments(rest, sources));
  const subject = subjects[first];
  const plain = async (given: readonly string[]) => plainArguments(await readArguments(given, sources));
  if (subject === undefined) {
    const given = await readArguments(rest, sources);
    return {
      method: first,
      params: plainArguments(given),
      ...(mayBeTool(first) && { orTool: { name: first, given } }),
    };
  }
  const [name, ...others] = rest;
  if (name?.startsWith(`${subject.key}=`)) return { method: first, params: await plain(rest) };
  if (name === undefined || name.startsWith('@') || name === '-') {
    throw argumentUnusable(first, `it needs ${subject.what} after it`);
  }
  if (first === 'tools/call') return toolCall(name, await readArguments(others, sources));
  const given = await plain(others);
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

function toolCall(name: string, given: readonly Given[]): ProtocolCall {
  return { method: 'tools/call', params: { name }, tool: { name, given } };
}

async function readArguments(words: readonly string[], sources: ArgumentSources): Promise<readonly Given[]> {
  const given: Given[] = [];
  for (const word of words) given.push(await readArgument(word, sources));
  return given;
}

async function readArgument(word: string, sources: ArgumentSources): Promise<Given> {
  if (word === '-') return { kind: 'json', members: objectIn(word, await sources.readStdin()) };
  if (word.startsWith('@')) return { kind: 'json', members: objectIn(word, await sources.readFile(word.slice(1))) };
  const parts = /^([^=]*?)(:?=)(.*)$/s.exec(word);
  if (parts === null) return { kind: 'text', word, name: undefined, text: word };
  const [, name = '', sign, text = ''] = parts;
  if (name === '') throw argumentUnusable(word, 'it is not of the form key=value');
  if (sign === '=') return { kind: 'text', word, name, text };
  return { kind: 'json', members: { [name]: jsonIn(word, new TextEncoder().encode(text), name) } };
}

function objectIn(word: string, bytes: Uint8Array): JsonObject {
  const object = asObject(jsonIn(word, bytes));
  if (object === undefined) throw argumentUnusable(word, 'what is there is no JSON object');
  return object;
}

/** @param name The parameter that it is for, where it is one alone. */
function jsonIn(word: string, bytes: Uint8Array, name?: string): JsonValue {
  const parsed = parseJson(bytes, { maxDepth: 200, maxKeys: 1_000_000, keepsNumbers: true });
  if (!parsed.ok) {
    const why = jsonTrouble(parsed.problem, name === undefined ? 'what is there' : 'what follows :=');
    throw argumentUnusable(word, why, name && `For text, use = alone: ${shellWord(name)}=…`);
  }
  return parsed.value;
}
