import { asObject, type JsonObject, type JsonValue, parseObject, stringField } from '../../core/text/json.js';
import { messageLimits } from '../messages.js';
import type { MessageShape, ParamsShape } from '../scan-message.js';
import { type HeaderMark, headerMarks } from './header-marks.js';

export type Header = readonly [name: string, value: string];

/** A text as a header value: as it is, or in the Base64 form where a header could not carry it or would change it. */
export function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  if (isPlain && !(text.startsWith('=?base64?') && text.endsWith('?='))) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

const maxTools = 10_000;

/** The tools whose parameters go into headers, as the responses to `tools/list` tell them. */
export class ParameterHeaders {
  readonly #tools = new Map<string, readonly HeaderMark[]>();

  learn(tools: readonly JsonObject[]): void {
    for (const tool of tools) {
      const name = stringField(tool, 'name');
      if (name === undefined || (this.#tools.size >= maxTools && !this.#tools.has(name))) continue;
      this.#tools.set(name, headerMarks(tool)); // one that breaks the rules gets no header: its server will refuse the call
    }
  }

  /** The headers for a call of that tool; null and absent arguments have none. */
  headersFor(tool: string | undefined, call: Uint8Array): readonly Header[] {
    const marks = tool === undefined ? undefined : this.#tools.get(tool);
    if (marks === undefined || marks.length === 0) return [];
    const given = asObject(parseObject(call, messageLimits)?.['params'])?.['arguments'];
    return marks.flatMap(({ path, name }): readonly Header[] => {
      const text = textOf(valueAt(given, path));
      return text === undefined ? [] : [[`mcp-param-${name}`, encoded(text)]];
    });
  }
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
