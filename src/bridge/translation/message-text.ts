import { metaName } from '../../core/product.js';
import type { JsonObject, JsonValue } from '../../core/text/json.js';
import { asObject, parseJson } from '../../core/text/json.js';
import { jsonText as spelledJson } from '../../core/text/json-number.js';
import { quote } from '../../core/text/json-scalars.js';
import { openBrace, skipSpace } from '../../core/text/json-scan.js';
import { memberAt, memberBytes, withMembers } from '../../core/text/json-splice.js';
import { type MessageShape, scanText } from '../../mcp/scan-message.js';

/** One message as it is spelled, and what it is. */
export interface MessageText {
  readonly text: Uint8Array;
  readonly message: MessageShape;
}

/** Parameters and results, as they are spelled. */
export type Members = Readonly<Record<string, Uint8Array | undefined>>;

const limits = { maxDepth: 200, maxKeys: 100_000, keepsNumbers: true } as const;

export function jsonText(value: JsonValue): Uint8Array {
  return Buffer.from(spelledJson(value));
}

/** A message of ours. */
export function messageText(value: JsonObject, members: Members = {}): MessageText {
  return scanned(withMembers(jsonText({ jsonrpc: '2.0', ...value }), 0, members));
}

/** What is known to be one message. */
export function scanned(text: Uint8Array): MessageText {
  const found = scanText(text);
  if (typeof found === 'string' || found.messages[0] === undefined)
    throw new Error('what was put together is a message');
  return { text, message: found.messages[0] };
}

/** The response to the request with that id. */
export function resultText(idBytes: Uint8Array, result: Uint8Array): Uint8Array {
  return withMembers(jsonText({ jsonrpc: '2.0' }), 0, { id: idBytes, result });
}

/** The message with other members: `id`, `params`, `result`. */
export function changed(text: Uint8Array, members: Members): Uint8Array {
  return withMembers(text, skipSpace(text, 0), members);
}

/** Its parameters with other members. */
export function withParams(text: Uint8Array, members: Members): Uint8Array {
  const at = memberAt(text, skipSpace(text, 0), 'params');
  return changed(text, { params: withMembers(text, at, members) });
}

/** With these extensions among the capabilities that it declares, if it declares any. */
export function withExtensions(given: MessageText, extensions: JsonObject): MessageText {
  const { text, message } = given;
  if (Object.keys(extensions).length === 0) return given;
  const opens = message.method === 'initialize';
  const holder = opens ? paramsIn(text) : param(text, '_meta');
  const name = opens ? 'capabilities' : metaName('clientCapabilities');
  const declared = holder && memberBytes(holder, 0, name);
  if (holder === undefined || declared?.[0] !== openBrace) return given;
  const own = Object.entries(extensions).map(([extension, settings]) => [extension, jsonText(settings)]);
  const others = memberBytes(declared, 0, 'extensions') ?? jsonText({});
  const all = withMembers(others, 0, Object.fromEntries(own));
  const capabilities = { [name]: withMembers(declared, 0, { extensions: all }) };
  return scanned(withParams(text, opens ? capabilities : { _meta: withMembers(holder, 0, capabilities) }));
}

/** The parameters of a message, as they are spelled. */
function paramsIn(text: Uint8Array): Uint8Array | undefined {
  return memberBytes(text, skipSpace(text, 0), 'params');
}

/** A member of the parameters, as it is spelled. */
export function param(text: Uint8Array, name: string): Uint8Array | undefined {
  const at = memberAt(text, skipSpace(text, 0), 'params');
  return at === -1 ? undefined : memberBytes(text, at, name);
}

/** A member of the result, as it is spelled. */
export function resultMember({ text, message }: MessageText, name: string): Uint8Array | undefined {
  return message.resultAt === -1 ? undefined : memberBytes(text, message.resultAt, name);
}

/** What a text says; undefined for none, and for one that can be read in more than one way. */
export function valueIn(text: Uint8Array | undefined): JsonValue | undefined {
  const parsed = text && parseJson(text, limits);
  return parsed?.ok ? parsed.value : undefined;
}

export function objectIn(text: Uint8Array | undefined): JsonObject {
  return asObject(valueIn(text)) ?? {};
}

export function stringIn(text: Uint8Array | undefined): string | undefined {
  const value = text?.[0] === quote ? valueIn(text) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The code of an error response; undefined for a result. */
export function errorCode({ text, message }: MessageText): number | undefined {
  const code =
    message.kind === 'error' ? objectIn(text.subarray(message.errorAt, message.errorEnd))['code'] : undefined;
  return typeof code === 'number' ? code : undefined;
}
