import { defined } from '../core/records.js';
import { entriesAt, memberOf, membersAt, type Span } from '../core/text/json-members.js';
import { openBracket, quote, skipSpace, skipValue, textAt } from '../core/text/json-scan.js';

/** What has to be known of a JSON-RPC message to pass its bytes on. */
export interface MessageShape {
  readonly kind: 'request' | 'notification' | 'result' | 'error';
  /** The same for ids that are the same, whatever their spelling; undefined for a notification and for `null`. */
  readonly id: string | undefined;
  /** Where the id is, as it is spelled. */
  readonly idBytes: Span | undefined;
  /** '' for a response. */
  readonly method: string;
  readonly params: ParamsShape;
  readonly result: Span | undefined;
  readonly error: Span | undefined;
}

export function isResponse({ kind }: Pick<MessageShape, 'kind'>): boolean {
  return kind === 'result' || kind === 'error';
}

/** The parameters that the protocol repeats elsewhere; the last of equal names. */
export interface ParamsShape {
  readonly name?: string;
  readonly uri?: string;
  readonly taskId?: string;
  /** As `MessageShape.id`. */
  readonly requestId?: string;
  /** The revision that the message names for itself in `_meta`. */
  readonly revision?: string;
}

/** One JSON text: a message, or, in a revision that has them, a batch of them. */
export interface ScannedText {
  readonly messages: readonly MessageShape[];
  /** Where each message of a batch is; empty without one. */
  readonly spans: readonly Span[];
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
  const found = membersAt(bytes, at, memberNames);
  const end = found?.end ?? skipValue(bytes, at);
  if (end === -1 || skipSpace(bytes, end) !== bytes.length) return 'not_json';
  if (bytes[at] === openBracket) return takesBatches ? scanBatch(bytes, at) : 'batch';
  const message = messageWith(bytes, found);
  return message === undefined ? 'not_a_message' : { messages: [message], spans: [] };
}

function scanBatch(bytes: Uint8Array, at: number): ScannedText | ScanProblem {
  const spans = entriesAt(bytes, at, maxBatch + 1);
  if (spans.length > maxBatch) return 'long_batch';
  const messages = spans
    .map(([from]) => messageWith(bytes, membersAt(bytes, from, memberNames)))
    .filter((message) => message !== undefined);
  return messages.length === spans.length && spans.length > 0 ? { messages, spans } : 'not_a_message';
}

const memberNames = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'] as const;

type MessageMembers = ReturnType<typeof membersAt<(typeof memberNames)[number]>>;

/** Undefined for what is no message; of two members with one name, which would count? */
function messageWith(bytes: Uint8Array, found: MessageMembers): MessageShape | undefined {
  if (found === undefined || found.isRepeated) return undefined;
  const { jsonrpc, id, method, params, result, error } = found.spans;
  if (shortText(bytes, jsonrpc) !== '2.0') return undefined;
  const idKind = id === undefined ? 'none' : kindOfId(bytes, id);
  const methodName = shortText(bytes, method);
  if (idKind === 'wrong' || (method !== undefined && methodName === undefined)) return undefined;
  const kind = kindOf(found.spans, idKind);
  return (
    kind && {
      kind,
      id: id !== undefined && idKind === 'named' ? idKey(bytes, id) : undefined,
      idBytes: id,
      method: methodName ?? '',
      params: paramsIn(bytes, params),
      result,
      error,
    }
  );
}

function kindOf(
  { method, result, error }: { readonly method?: Span; readonly result?: Span; readonly error?: Span },
  idKind: 'named' | 'null' | 'none',
): MessageShape['kind'] | undefined {
  if (method !== undefined) {
    if (result !== undefined || error !== undefined || idKind === 'null') return undefined;
    return idKind === 'none' ? 'notification' : 'request';
  }
  if ((result === undefined) === (error === undefined)) return undefined;
  if (error !== undefined) return 'error';
  return idKind === 'named' ? 'result' : undefined;
}

function kindOfId(bytes: Uint8Array, [from, to]: Span): 'named' | 'null' | 'wrong' {
  const byte = bytes[from] ?? 0;
  if (to - from > longestId) return 'wrong';
  if (byte === quote || byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return 'named';
  return byte === 0x6e ? 'null' : 'wrong';
}

/** Integers stay as they are spelled: JavaScript would round large ones. */
function idKey(bytes: Uint8Array, [from, to]: Span): string {
  if (bytes[from] === quote) return `"${textAt(bytes, from, longestId)}`;
  const text = String.fromCharCode(...bytes.subarray(from, to));
  return /^-?\d+$/.test(text) ? text : String(Number(text));
}

const revisionMember = 'io.modelcontextprotocol/protocolVersion';

function paramsIn(bytes: Uint8Array, params: Span | undefined): ParamsShape {
  const found = params && membersAt(bytes, params[0], ['name', 'uri', 'taskId', 'requestId', '_meta']);
  if (found === undefined) return {};
  const { name, uri, taskId, requestId, _meta } = found.spans;
  return defined({
    name: shortText(bytes, name),
    uri: shortText(bytes, uri),
    taskId: shortText(bytes, taskId),
    requestId: requestId && kindOfId(bytes, requestId) === 'named' ? idKey(bytes, requestId) : undefined,
    revision: textMember(bytes, _meta, revisionMember),
  });
}

/** A string; undefined for anything else, and for one that is too long for a header. */
function shortText(bytes: Uint8Array, span: Span | undefined): string | undefined {
  return span && bytes[span[0]] === quote && span[1] - span[0] <= longestName
    ? textAt(bytes, span[0], longestName)
    : undefined;
}

/** A string member of an object. */
export function textMember(bytes: Uint8Array, object: Span | undefined, name: string): string | undefined {
  return shortText(bytes, memberOf(bytes, object, name));
}
