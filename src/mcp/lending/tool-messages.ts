import { asObject, type JsonObject, type JsonValue, parseJson } from '../../core/text/json.js';
import { entriesAt, listOf, memberOf, type Span } from '../../core/text/json-members.js';
import { openBracket, skipSpace, skipValue } from '../../core/text/json-scan.js';
import { asciiJson, quoted } from '../../core/text/printable.js';
import { messageLimits, namedError, refusal, rpcCode } from '../messages.js';
import { folded, type ToolPage, type ToolPolicy } from './tool-policy.js';

/** Whether a caller's text may go on to the server. */
export type Verdict =
  /** `lists`: ids of the requests in it whose results tell what the server's tools are. */
  | { readonly kind: 'passed'; readonly lists: ReadonlySet<string> }
  /** The server has not said yet what these tools are. `meta` goes with a request of ours. */
  | { readonly kind: 'unknown'; readonly meta: JsonObject | undefined }
  /** What the caller gets instead; undefined where nothing in it can be answered. */
  | { readonly kind: 'refused'; readonly response: Uint8Array | undefined; readonly tools: readonly string[] };

const members = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

const callMethod = 'tools/call';

/**
 * Judges a whole JSON text of a caller, a message or a batch. It is read so that no server can read it otherwise: with
 * valid UTF-8, no name twice in one object, and no name or method that only a lenient reader takes for one that counts.
 * What cannot be read so is refused.
 */
export function validate(policy: ToolPolicy, bytes: Uint8Array): Verdict {
  const values = valuesIn(bytes) ?? [];
  const messages = objectsIn(values);
  const isClear = messages.length > 0 && messages.length === values.length && messages.every(isPlain);
  if (!isClear) return { kind: 'refused', response: refusal(rpcCode.notAMessage, unclear), tools: [] };
  if (messages.length > maxBatch)
    return { kind: 'refused', response: refusal(rpcCode.notAMessage, tooMany), tools: [] };
  const calls = messages.filter(({ method }) => method === callMethod).map(toolOf);
  const verdicts = calls.map((tool) => policy.verdict(tool));
  if (verdicts.includes('refused'))
    return refused(
      bytes,
      messages,
      calls.filter((_, at) => verdicts[at] === 'refused'),
    );
  if (verdicts.includes('unknown')) {
    const [first] = messages.filter(({ method }) => method === callMethod);
    return { kind: 'unknown', meta: asObject(asObject(first?.['params'])?.['_meta']) };
  }
  const lists = messages.flatMap(({ id, method }) => (method === 'tools/list' && id !== undefined ? idText(id) : []));
  return { kind: 'passed', lists: new Set(lists) };
}

export type KnownVerdict = Exclude<Verdict, { readonly kind: 'unknown' }>;

/** The same, where the server is asked first for what is not known; what is unknown then is refused. @throws as `page` */
export async function validateAsking(
  policy: ToolPolicy,
  bytes: Uint8Array,
  page: ToolPage,
  now: number,
): Promise<KnownVerdict> {
  const validated = validate(policy, bytes);
  if (validated.kind !== 'unknown') return validated;
  await policy.ask(page, validated.meta, now);
  const again = validate(policy, bytes);
  if (again.kind !== 'unknown') return again;
  const messages = objectsIn(valuesIn(bytes) ?? []);
  const calls = messages.filter(({ method }) => method === callMethod).map(toolOf);
  const kept = calls.filter((tool) => policy.verdict(tool) !== 'passed');
  const why = kept.every((tool) => policy.verdict(tool) === 'unknown') ? policy.whyUnknown : leftOut;
  return refused(bytes, messages, kept, why);
}

/** The messages of a text, which may be a batch; undefined for what is no JSON, or is it in two ways. */
function valuesIn(bytes: Uint8Array): readonly JsonValue[] | undefined {
  const parsed = parseJson(bytes, messageLimits);
  if (!parsed.ok) return undefined;
  return Array.isArray(parsed.value) ? parsed.value : [parsed.value];
}

function objectsIn(values: readonly JsonValue[]): readonly JsonObject[] {
  return values.map(asObject).filter((object) => object !== undefined);
}

/** Messages of one batch: the refusal of each is longer than it. */
const maxBatch = 1_000;

const tooMany = 'A batch of more than 1,000 messages was not passed on, as only some tools are lent here.';

const unclear = 'A message could be read in more than one way; it was not passed on, as only some tools are lent here.';

/** Does every reader see these very members, and the same tool? */
function isPlain(message: JsonObject): boolean {
  if (!areExact(message, members)) return false;
  const { method, params } = message;
  if (method === undefined) return true;
  if (typeof method !== 'string' || (letters(method) === letters(callMethod) && method !== callMethod)) return false;
  if (method !== callMethod) return true;
  const given = asObject(params);
  return given !== undefined && areExact(given, ['name', 'arguments']) && typeof given['name'] === 'string';
}

/** `__proto__` is none: readers that copy members take those of its value for the object's. */
function areExact(object: JsonObject, names: readonly string[]): boolean {
  const isExact = (name: string) => names.includes(name) || (name !== '__proto__' && !names.includes(letters(name)));
  return Object.keys(object).every(isExact);
}

/** What is left for a reader that minds neither case, marks nor blanks. */
function letters(text: string): string {
  return folded(text).replace(/[^a-z]/g, '');
}

function toolOf({ params }: JsonObject): string {
  return String(asObject(params)?.['name']);
}

function idText(id: JsonValue): string {
  return JSON.stringify(id);
}

function refused(
  bytes: Uint8Array,
  messages: readonly JsonObject[],
  tools: readonly string[],
  why: string = leftOut,
): Verdict & { kind: 'refused' } {
  const spans = messageSpans(bytes);
  const isBatch = bytes[skipSpace(bytes, 0)] === openBracket;
  const responses = messages.flatMap((message, at) => {
    const id = memberOf(bytes, spans[at], 'id');
    if (id === undefined || message['method'] === undefined) return [];
    const tool = message['method'] === callMethod ? toolOf(message) : tools[0];
    return [namedError(bytes.subarray(...id), errorFor(tool ?? '', why))];
  });
  if (responses.length === 0) return { kind: 'refused', response: undefined, tools };
  const [only] = responses;
  return { kind: 'refused', response: isBatch ? listOf(responses) : only, tools };
}

const leftOut = 'the person who runs postern has left it out';

/** Said of each request in a batch: no longer than a line. */
function errorFor(name: string, why: string): Uint8Array {
  const tool = name.slice(0, longestShown);
  const message = `The tool ${quoted(tool, longestShown)} is not lent here: ${why} (403).`;
  return Buffer.from(asciiJson({ code: rpcCode.toolNotLent, message, data: { code: 'tool_not_lent', tool } }));
}

/** Of a name, in characters. */
const longestShown = 200;

/**
 * A server's JSON text without the tools that are not lent, byte for byte otherwise; the tools that it lists for one of
 * these ids are learned. Undefined for what can be read in more than one way.
 * @param asked Is this the id of a request for the list? As `JSON.stringify` spells it.
 */
export function filterTools(
  policy: ToolPolicy,
  bytes: Uint8Array,
  asked: (id: string) => boolean,
): Uint8Array | undefined {
  const values = valuesIn(bytes);
  if (values === undefined) return undefined;
  const spans = messageSpans(bytes);
  let out: Uint8Array[] | undefined;
  let from = 0;
  for (const [index, value] of values.entries()) {
    const message = asObject(value);
    if (Array.isArray(value)) return undefined;
    if (message === undefined) continue;
    if (!areExact(message, members)) return undefined;
    if (message['method'] === 'notifications/tools/list_changed') policy.forget();
    const result = asObject(message['result']);
    if (result !== undefined && !areExact(result, ['tools'])) return undefined;
    const tools = result?.['tools'];
    if (!Array.isArray(tools)) continue;
    const { id } = message;
    if (id !== undefined && asked(idText(id))) policy.learn(tools, (result?.['nextCursor'] ?? null) === null);
    const [listAt, listEnd] = memberOf(bytes, memberOf(bytes, spans[index], 'result'), 'tools') ?? [from, from];
    const kept = entriesAt(bytes, listAt).filter((_, at) => isLent(policy, tools[at]));
    out ??= [];
    out.push(bytes.subarray(from, listAt), listOf(kept.map((span) => bytes.subarray(...span))));
    from = listEnd;
  }
  return out === undefined ? bytes : Buffer.concat([...out, bytes.subarray(from)]);
}

function isLent(policy: ToolPolicy, tool: JsonValue | undefined): boolean {
  const name = asObject(tool)?.['name'];
  return typeof name === 'string' && policy.verdict(name) === 'passed';
}

/** Where each message of a text begins and ends. The bytes are JSON. */
function messageSpans(bytes: Uint8Array): readonly Span[] {
  const at = skipSpace(bytes, 0);
  return bytes[at] === openBracket ? entriesAt(bytes, at) : [[at, skipValue(bytes, at)]];
}
