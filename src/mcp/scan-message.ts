import {
  closeBracket,
  comma,
  openBrace,
  openBracket,
  quote,
  skipSpace,
  skipValue,
  textAt,
  walkObject,
} from '../core/text/json-scan.js';

/** What has to be known of a JSON-RPC message to pass its bytes on. */
export interface MessageShape {
  readonly kind: 'request' | 'notification' | 'result' | 'error';
  /** The same for ids that are the same, whatever their spelling; undefined for a notification and for `null`. */
  readonly id: string | undefined;
  /** Where the id is, as it is spelled. */
  readonly idBytes: readonly [from: number, to: number] | undefined;
  /** '' for a response. */
  readonly method: string;
  readonly params: ParamsShape;
  /** Where these members begin, and the error ends; -1 without one. */
  readonly resultAt: number;
  readonly errorAt: number;
  readonly errorEnd: number;
}

export function isResponse({ kind }: Pick<MessageShape, 'kind'>): boolean {
  return kind === 'result' || kind === 'error';
}

/** What counts of the parameters; of two members with one name the last. */
export interface ParamsShape {
  name?: string;
  uri?: string;
  taskId?: string;
  /** As `MessageShape.id`. */
  requestId?: string;
  /** The revision that the message names for itself in `_meta`. */
  revision?: string;
}

/** One JSON text: a message, or, in a revision that has them, a batch of them. */
export interface ScannedText {
  readonly messages: readonly MessageShape[];
  /** Where each message of a batch is; empty without one. */
  readonly spans: readonly (readonly [from: number, to: number])[];
}

/** Why a text is no message: no JSON at all (-32700), none that JSON-RPC knows (-32600), several where one is wanted, or too many. */
export type ScanProblem = 'not_json' | 'not_a_message' | 'batch' | 'long_batch';

/** Most messages in one batch: each costs many times its bytes. */
export const maxBatch = 10_000;

/** Limits of an id as it is spelled, and of a method or a name. In bytes. */
const longestId = 1_024;

const longestName = 8_192;

/** Scans a whole text, white space around it allowed. */
export function scanText(bytes: Uint8Array, takesBatches = false): ScannedText | ScanProblem {
  const at = skipSpace(bytes, 0);
  if (bytes[at] === openBracket) return scanBatch(bytes, at, takesBatches);
  const end = { at: -1 };
  const message = bytes[at] === openBrace ? scanMessage(bytes, at, end) : undefined;
  if (message !== undefined && isEnd(bytes, end.at)) return { messages: [message], spans: [] };
  const after = end.at === -1 ? skipValue(bytes, at) : end.at;
  return after !== -1 && isEnd(bytes, after) ? 'not_a_message' : 'not_json';
}

function scanBatch(bytes: Uint8Array, at: number, isWanted: boolean): ScannedText | ScanProblem {
  const messages: MessageShape[] = [];
  const spans: (readonly [number, number])[] = [];
  let next = isWanted ? skipSpace(bytes, at + 1) : -1;
  while (next !== -1 && bytes[next] !== closeBracket) {
    if (messages.length === maxBatch) return 'long_batch'; // whatever comes after it
    const end = { at: -1 };
    const message = scanMessage(bytes, next, end);
    if (message !== undefined) {
      messages.push(message);
      spans.push([next, end.at]);
    }
    next = message === undefined ? -1 : skipSpace(bytes, end.at);
    if (bytes[next] === comma) next = skipSpace(bytes, next + 1);
  }
  const after = skipValue(bytes, at);
  if (after === -1 || !isEnd(bytes, after)) return 'not_json';
  if (!isWanted) return 'batch';
  return messages.length === 0 || next === -1 ? 'not_a_message' : { messages, spans };
}

/** The message that begins at `at`. `end` is set for any JSON. */
function scanMessage(bytes: Uint8Array, at: number, end: { at: number }): MessageShape | undefined {
  const found = {
    jsonrpc: -1,
    id: -1,
    idEnd: -1,
    method: -1,
    methodEnd: -1,
    params: -1,
    result: -1,
    error: -1,
    errorEnd: -1,
  };
  const params: ParamsShape = {};
  let isClear = true;
  end.at = walkObject(bytes, at, (name, valueAt) => {
    const after = name === 'params' ? scanParams(bytes, valueAt, params) : skipValue(bytes, valueAt);
    switch (name) {
      case 'jsonrpc':
      case 'id':
      case 'method':
      case 'params':
      case 'result':
      case 'error':
        isClear &&= found[name] === -1; // which of two would count?
        found[name] = valueAt;
        if (name === 'id') found.idEnd = after;
        if (name === 'method') found.methodEnd = after;
        if (name === 'error') found.errorEnd = after;
    }
    return after;
  });
  if (end.at === -1 || !isClear || !isText(bytes, found.jsonrpc, '2.0')) return undefined;
  const idKind = found.id === -1 ? 'none' : kindOfId(bytes, found.id, found.idEnd);
  if (found.method !== -1 && found.methodEnd - found.method > longestName) return undefined;
  const kind = kindOf(bytes, found, idKind);
  if (kind === undefined) return undefined;
  return {
    kind,
    id: idKind === 'named' ? idKey(bytes, found.id, found.idEnd) : undefined,
    idBytes: found.id === -1 ? undefined : [found.id, found.idEnd],
    method: found.method === -1 ? '' : textAt(bytes, found.method, longestName),
    params,
    resultAt: found.result,
    errorAt: found.error,
    errorEnd: found.errorEnd,
  };
}

function kindOf(
  bytes: Uint8Array,
  found: { readonly method: number; readonly result: number; readonly error: number },
  idKind: ReturnType<typeof kindOfId> | 'none',
): MessageShape['kind'] | undefined {
  if (idKind === 'wrong') return undefined;
  const [hasResult, hasError] = [found.result !== -1, found.error !== -1];
  if (found.method !== -1) {
    if (bytes[found.method] !== quote || hasResult || hasError || idKind === 'null') return undefined;
    return idKind === 'none' ? 'notification' : 'request';
  }
  if (hasResult === hasError) return undefined;
  if (hasError) return 'error';
  return idKind === 'named' ? 'result' : undefined;
}

function kindOfId(bytes: Uint8Array, at: number, end: number): 'named' | 'null' | 'wrong' {
  const byte = bytes[at] ?? 0;
  if (end - at > longestId) return 'wrong';
  if (byte === quote || byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return 'named';
  return byte === 0x6e ? 'null' : 'wrong';
}

/** Integers stay as they are spelled: JavaScript would round large ones. */
function idKey(bytes: Uint8Array, at: number, end: number): string {
  if (bytes[at] === quote) return `"${textAt(bytes, at, longestId)}`;
  let text = '';
  for (let next = at; next < end; next += 1) text += String.fromCharCode(bytes[next] ?? 0);
  return /^-?\d+$/.test(text) ? text : String(Number(text));
}

function isEnd(bytes: Uint8Array, at: number): boolean {
  return skipSpace(bytes, at) === bytes.length;
}

function isText(bytes: Uint8Array, at: number, text: string): boolean {
  return at !== -1 && bytes[at] === quote && textAt(bytes, at, longestName) === text;
}

const revisionMember = 'io.modelcontextprotocol/protocolVersion';

function scanParams(bytes: Uint8Array, at: number, params: ParamsShape): number {
  if (bytes[at] !== openBrace) return skipValue(bytes, at);
  return walkObject(bytes, at, (name, valueAt) => {
    if (name === '_meta' && bytes[valueAt] === openBrace) {
      return walkObject(bytes, valueAt, (inner, innerAt) => {
        const after = skipValue(bytes, innerAt);
        if (inner === revisionMember && after !== -1) keep(params, 'revision', bytes, innerAt, after);
        return after;
      });
    }
    const after = skipValue(bytes, valueAt);
    if (after === -1) return after;
    if (name === 'name' || name === 'uri' || name === 'taskId') keep(params, name, bytes, valueAt, after);
    if (name === 'requestId' && kindOfId(bytes, valueAt, after) === 'named')
      params.requestId = idKey(bytes, valueAt, after);
    return after;
  });
}

/** What is no text, or too long for a header, is left out. */
function keep(params: ParamsShape, name: keyof ParamsShape, bytes: Uint8Array, at: number, end: number): void {
  if (bytes[at] === quote && end - at <= longestName) params[name] = textAt(bytes, at, longestName);
  else delete params[name];
}

/** A text member of an object. The last of two counts. */
export function textMember(bytes: Uint8Array, objectAt: number, name: string): string | undefined {
  let found: string | undefined;
  walkObject(bytes, objectAt, (other, valueAt) => {
    const after = skipValue(bytes, valueAt);
    const isShort = bytes[valueAt] === quote && after - valueAt <= longestName;
    if (other === name) found = isShort ? textAt(bytes, valueAt, longestName) : undefined;
    return after;
  });
  return found;
}
