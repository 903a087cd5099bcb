import type { MessageShape, ParamsShape } from './scan-message.js';

type Header = readonly [name: string, value: string];

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
 * The revision that a message names for itself, as those of the wire without sessions do (2026-07-28 and later);
 * undefined for a message of the wire that begins with `initialize`.
 */
export function ownRevision({ kind, params: { revision } }: MessageShape): string | undefined {
  return kind !== 'answer' && usableRevision(revision) ? revision : undefined;
}

/** A revision fit to be sent in a header. */
export function usableRevision(revision: string | undefined): revision is string {
  return revision !== undefined && /^[\x21-\x7e]{1,64}$/.test(revision);
}

/** What the newer wire repeats of a message in headers (SEP-2243). */
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
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return `=?base64?${btoa(binary)}?=`;
}
