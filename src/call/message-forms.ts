import { metaName } from '../core/product.js';
import { asObject, type JsonObject, stringField } from '../core/text/json.js';
import { jsonText } from '../core/text/json-number.js';
import { skipValue, walkObject } from '../core/text/json-scan.js';
import type { Message } from '../mcp/messages.js';
import type { Pending } from '../mcp/pending.js';
import { type MessageShape, scanText } from '../mcp/scan-message.js';

/** As `MessageShape.id`. An error without one is for the request that it came for. */
export function keyOf(message: Message, asked: Pending | undefined): string | undefined {
  if (message.kind === 'notification') return undefined;
  if (message.id === null) return asked?.id;
  return typeof message.id === 'string' ? `"${message.id}` : String(message.id);
}

/** As UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A message of ours, as it is sent. */
export function textOf(message: JsonObject): Uint8Array {
  return bytesOf(jsonText(message));
}

/** What the client has to know of it. */
export function shapeOf(message: JsonObject): MessageShape {
  const method = stringField(message, 'method') ?? '';
  const params = asObject(message['params']) ?? {};
  const [name, uri, taskId] = [stringField(params, 'name'), stringField(params, 'uri'), stringField(params, 'taskId')];
  const revision = stringField(asObject(params['_meta']) ?? {}, metaName('protocolVersion'));
  const own = message['id'] === undefined ? 'notification' : 'request';
  return {
    kind: method === '' ? 'result' : own,
    id: undefined,
    idBytes: undefined,
    method,
    params: {
      ...(name !== undefined && { name }),
      ...(uri !== undefined && { uri }),
      ...(taskId !== undefined && { taskId }),
      ...(revision !== undefined && { revision }),
    },
    resultAt: -1,
    errorAt: -1,
    errorEnd: -1,
  };
}

/** The member `result` of an object, as it is spelled there; undefined where there is none. Copies. */
export function rawMember(object: Uint8Array): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  walkObject(object, 0, (name, valueAt) => {
    const end = skipValue(object, valueAt);
    if (name === 'result' && end !== -1) found = new Uint8Array(object.subarray(valueAt, end));
    return end;
  });
  return found;
}

/** Of each message in a text its result as it is spelled there; undefined where it has none. Copies. */
export function rawResults(text: Uint8Array): readonly (Uint8Array | undefined)[] {
  const scanned = scanText(text, true);
  if (typeof scanned === 'string') return [];
  return scanned.messages.map(({ kind, resultAt }) => {
    const end = kind === 'result' ? skipValue(text, resultAt) : -1;
    return end === -1 ? undefined : new Uint8Array(text.subarray(resultAt, end));
  });
}
