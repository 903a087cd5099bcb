import { type JsonObject, parseObject } from '../../core/text/json.js';
import { jsonText } from '../../core/text/json-number.js';
import { messageLimits } from '../../mcp/messages.js';
import { type MessageShape, scanText } from '../../mcp/scan-message.js';

/** One message as it is spelled, and what it is. */
export interface MessageText {
  readonly text: Uint8Array;
  readonly message: MessageShape;
}

/** A message of ours. */
export function messageOf(object: JsonObject): MessageText {
  const text = bytesOf({ jsonrpc: '2.0', ...object });
  const found = scanText(text);
  if (typeof found === 'string' || found.messages[0] === undefined) throw new Error('what was made is one message');
  return { text, message: found.messages[0] };
}

export function bytesOf(object: JsonObject): Uint8Array {
  return Buffer.from(jsonText(object));
}

/** What a message says; undefined where it can be read in more than one way. */
export function objectOf(text: Uint8Array): JsonObject | undefined {
  return parseObject(text, { ...messageLimits, keepsNumbers: true });
}
