import { argumentUnusable } from '../errors/call.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../primitives/json.js';

/** What `call` sends: a method, and its parameters. */
export interface ProtocolCall {
  readonly method: string;
  readonly params: JsonObject;
}

/** Reads what `@file` and `-` name. */
export interface ArgumentSources {
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
  if (first === undefined) {
    return { method: 'tools/list', params: {} };
  }
  if (!first.includes('/') && !plainMethods.has(first)) {
    return { method: 'tools/call', params: { name: first, arguments: await readArguments(rest, sources) } };
  }
  const subject = subjects[first];
  if (subject === undefined) {
    return { method: first, params: await readArguments(rest, sources) };
  }
  const [name, ...others] = rest;
  if (name?.startsWith(`${subject.key}=`)) {
    return { method: first, params: await readArguments(rest, sources) };
  }
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
  const given: JsonObject = {};
  for (const word of words) {
    for (const [name, value] of Object.entries(await readArgument(word, sources))) {
      Object.defineProperty(given, name, { value, enumerable: true, writable: true, configurable: true });
    }
  }
  return given;
}

async function readArgument(word: string, sources: ArgumentSources): Promise<JsonObject> {
  if (word === '-') {
    return objectIn(word, await sources.readStdin());
  }
  if (word.startsWith('@')) {
    return objectIn(word, await sources.readFile(word.slice(1)));
  }
  const parts = /^([^=]*?)(:?=)(.*)$/s.exec(word);
  const [, name = '', sign, text = ''] = parts ?? [];
  if (parts === null || name === '') {
    throw argumentUnusable(word, 'it is not of the form key=value');
  }
  return { [name]: sign === '=' ? text : jsonIn(word, new TextEncoder().encode(text)) };
}

function objectIn(word: string, bytes: Uint8Array): JsonObject {
  const object = asObject(jsonIn(word, bytes));
  if (object === undefined) {
    throw argumentUnusable(word, 'what is there is no JSON object');
  }
  return object;
}

function jsonIn(word: string, bytes: Uint8Array): JsonValue {
  const parsed = parseJson(bytes, { maxDepth: 200, maxKeys: 1_000_000 });
  if (!parsed.ok) {
    throw argumentUnusable(
      word,
      `what is there is not the JSON expected (${parsed.problem.replaceAll('_', ' ')})`,
    );
  }
  return parsed.value;
}
