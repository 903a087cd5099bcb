import type { JsonObject } from '../../primitives/json.js';
import { printable, quoted } from '../../primitives/printable.js';

/** One line for what the server tells in the middle of a call. */
export function notificationLine(method: string, params: JsonObject): string {
  switch (method) {
    case 'notifications/progress':
      return progressLine(params);
    case 'notifications/message':
      return `Server (${printable(String(params['level'] ?? 'log'), 20)}): ${quoted(textOf(params['data']), 500)}`;
    default:
      return `Server: ${printable(method, 80)}`;
  }
}

function progressLine(params: JsonObject): string {
  const { progress, total, message } = params;
  const count = typeof progress === 'number' ? String(progress) : '?';
  const of = typeof total === 'number' ? ` of ${total}` : '';
  return `Progress: ${count}${of}${typeof message === 'string' ? ` ${quoted(message)}` : ''}`;
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data ?? null);
}
