import { asObject, type JsonObject, type JsonValue, parseObject, stringField } from '../core/text/json.js';
import type { MessageShape, ParamsShape } from './scan-message.js';

export type Header = readonly [name: string, value: string];

/** Where `Mcp-Name` comes from, by method (SEP-2243, SEP-2663). */
const nameMembers: Readonly<Record<string, keyof ParamsShape>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * The revision that a message of the newer era (2026-07-28 and later) names for itself in `_meta`;
 * undefined for one of the older era, which begins with `initialize`.
 */
export function ownRevision({ kind, params: { revision } }: MessageShape): string | undefined {
  return (kind === 'request' || kind === 'notification') && usableRevision(revision) ? revision : undefined;
}

export function usableRevision(revision: string | undefined): revision is string {
  return revision !== undefined && /^[\x21-\x7e]{1,64}$/.test(revision);
}

/** What the newer era repeats of a message in headers (SEP-2243). */
export function messageHeaders(message: MessageShape, revision: string): readonly Header[] {
  const member = Object.hasOwn(nameMembers, message.method) ? nameMembers[message.method] : undefined;
  const name = member === undefined ? undefined : message.params[member];
  return [
    ['mcp-protocol-version', revision],
    ['mcp-method', encoded(message.method)],
    ...(name === undefined ? [] : ([['mcp-name', encoded(name)]] as const)),
  ];
}

/** A text as a header value: as it is, or in the Base64 form where a header could not carry it or would change it. */
export function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  if (isPlain && !(text.startsWith('=?base64?') && text.endsWith('?='))) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** One parameter of a tool that its server wants to see in a header, too (SEP-2243, `x-mcp-header`). */
interface Mirrored {
  /** Member names from the arguments on. */
  readonly path: readonly string[];
  /** What follows `Mcp-Param-`. */
  readonly name: string;
}

const limits = { maxDepth: 200, maxKeys: 1_000_000 } as const;

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200}$/;
const mirroredTypes: readonly (JsonValue | undefined)[] = ['string', 'integer', 'boolean'];
const maxTools = 10_000;

/** The tools whose parameters go into headers, as the responses to `tools/list` tell them. */
export class ParameterHeaders {
  readonly #tools = new Map<string, readonly Mirrored[]>();

  /** Looks at a response to `tools/list`; one that marks no parameter is not taken apart. */
  learn(response: Uint8Array): void {
    const { buffer, byteOffset, byteLength } = response;
    if (!Buffer.from(buffer, byteOffset, byteLength).includes('"x-mcp-header"')) return;
    const tools = asObject(parseObject(response, limits)?.['result'])?.['tools'];
    for (const value of Array.isArray(tools) ? tools : []) {
      const tool = asObject(value) ?? {};
      const name = stringField(tool, 'name');
      const mirrored = mirroredIn(asObject(tool['inputSchema']), []);
      if (name === undefined || (this.#tools.size >= maxTools && !this.#tools.has(name))) continue;
      const names = mirrored.map((one) => one.name.toLowerCase());
      // A definition that breaks the rules gets no header: its server will refuse the call.
      this.#tools.set(name, new Set(names).size === names.length ? mirrored : []);
    }
  }

  /** The headers for a call of that tool; null and absent arguments have none. */
  headersFor(tool: string | undefined, call: Uint8Array): readonly Header[] {
    const mirrored = tool === undefined ? undefined : this.#tools.get(tool);
    if (mirrored === undefined || mirrored.length === 0) return [];
    const given = asObject(parseObject(call, limits)?.['params'])?.['arguments'];
    return mirrored.flatMap(({ path, name }): readonly Header[] => {
      const text = textOf(valueAt(given, path));
      return text === undefined ? [] : [[`mcp-param-${name}`, encoded(text)]];
    });
  }
}

/** Along `properties` only: nothing else says for sure that the argument is there. */
function mirroredIn(schema: JsonObject | undefined, path: readonly string[]): readonly Mirrored[] {
  const properties = asObject(schema?.['properties']) ?? {};
  return Object.entries(properties).flatMap(([key, value]) => {
    const property = asObject(value);
    const name = property?.['x-mcp-header'];
    const isFit = typeof name === 'string' && headerName.test(name) && mirroredTypes.includes(property?.['type']);
    const own = isFit ? [{ path: [...path, key], name }] : [];
    return [...own, ...mirroredIn(property, [...path, key])];
  });
}

function valueAt(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let at = value;
  for (const name of path) {
    const object = asObject(at);
    at = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
  }
  return at;
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}
