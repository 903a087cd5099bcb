import { encoded, type Header } from './headers/parameter-headers.js';
import type { MessageShape, ParamsShape } from './scan-message.js';

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
