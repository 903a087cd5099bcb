import { asObject, type JsonObject, type JsonValue, parseJson } from '../core/text/json.js';
import { JsonNumber } from '../core/text/json-number.js';
import { maxBatch } from './scan-message.js';

const mebibyte = 1024 * 1024;

/** Limits for protocol messages: deeper and wider than metadata, still bounded. */
export const messageLimits = { maxDepth: 200, maxKeys: 1_000_000 } as const;

/** What is made of a message of 32 MiB may cost 52: with its bytes and the engine's own it is four times as much, and a second. */
const ownLimits = { ...messageLimits, keepsNumbers: true, maxCost: 52 * mebibyte } as const;

/** One JSON-RPC message, by kind. Members that a newer revision adds stay on `object`. */
export type Message =
  | {
      readonly kind: 'request';
      readonly id: string | number | JsonNumber;
      readonly method: string;
      readonly params: JsonObject;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'result'; readonly id: string | number | JsonNumber; readonly result: JsonObject }
  | {
      readonly kind: 'error';
      readonly id: string | number | JsonNumber | null;
      readonly code: number;
      readonly message: string;
      readonly data: JsonValue | undefined;
    };

/**
 * The messages in a body or an event: one, or several of an older revision's batch. Undefined when it is none; `costly`
 * where what is made of it would take too much memory.
 * @param bytes are overwritten
 */
export function parseMessages(bytes: Uint8Array): readonly Message[] | 'costly' | undefined {
  const size = bytes.byteLength / (32 * mebibyte);
  const limits = size <= 1 ? ownLimits : { ...ownLimits, maxCost: ownLimits.maxCost * size };
  const parsed = parseJson(bytes, limits);
  if (!parsed.ok) return parsed.problem === 'too_many_keys' ? 'costly' : undefined;
  const values = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  if (values.length > maxBatch) return 'costly';
  const messages = values.map(parseMessage);
  return messages.every((message) => message !== undefined) ? messages : undefined;
}

function parseMessage(value: JsonValue): Message | undefined {
  const object = asObject(value);
  if (object === undefined || object['jsonrpc'] !== '2.0') return undefined;
  const { id, method } = object;
  const named = typeof id === 'string' || typeof id === 'number' || id instanceof JsonNumber ? id : undefined;
  if (typeof method === 'string') {
    const params = asObject(object['params']) ?? {};
    return named === undefined
      ? { kind: 'notification', method, params }
      : { kind: 'request', id: named, method, params };
  }
  const error = asObject(object['error']);
  if (error !== undefined) {
    const { code, message, data } = error;
    return {
      kind: 'error',
      id: named ?? null,
      code: typeof code === 'number' ? code : 0,
      message: typeof message === 'string' ? message : '',
      data,
    };
  }
  const result = asObject(object['result']);
  return result === undefined || named === undefined ? undefined : { kind: 'result', id: named, result };
}
