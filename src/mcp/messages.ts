import { asObject, type JsonObject, type JsonValue, parseJson, parseObject } from '../core/text/json.js';
import { JsonNumber, jsonText } from '../core/text/json-number.js';
import { asciiJson } from '../core/text/printable.js';
import { type MessageShape, maxBatch, scanText } from './scan-message.js';

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

/** One message as it is spelled, and what it is. */
export interface MessageText {
  readonly text: Uint8Array;
  readonly message: MessageShape;
}

/** A message of ours. */
export function messageOf(object: JsonObject): MessageText {
  const text = Buffer.from(jsonText({ jsonrpc: '2.0', ...object }));
  const scanned = scanText(text);
  const [message] = typeof scanned === 'string' ? [] : scanned.messages;
  if (message === undefined) throw new Error('what was made is one message');
  return { text, message };
}

/** What a message says; undefined where it can be read in more than one way. */
export function objectOf(text: Uint8Array): JsonObject | undefined {
  return parseObject(text, { ...messageLimits, keepsNumbers: true });
}

/**
 * JSON-RPC error codes of the bridge. `data.code` says more. Our own keep out of -32768 to -32000, which JSON-RPC and the
 * protocol claim (2026-07-28, basic/index).
 */
export const rpcCode = {
  notJson: -32700,
  notAMessage: -32600,
  unknownMethod: -32601,
  loginNeeded: -31011,
  notDelivered: -31012,
  toolNotLent: -31013,
  notTranslated: -31014,
} as const;

/** The response to what is no message: without an id. */
export function refusal(code: number, message: string): Uint8Array {
  return namedError(Buffer.from('null'), Buffer.from(asciiJson({ code, message })));
}

/** An error response with that id. */
export function namedError(id: Uint8Array, error: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":'), id, Buffer.from(',"error":'), error, Buffer.from('}')]);
}
