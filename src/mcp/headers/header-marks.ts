import { isFieldName } from '../../core/text/characters.js';
import { asObject, type JsonObject, type JsonValue } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';

/** One parameter of a tool that its server wants to see in a header, too (SEP-2243, `x-mcp-header`). */
export interface HeaderMark {
  /** Member names from the arguments on. */
  readonly path: readonly string[];
  /** What follows `Mcp-Param-`. */
  readonly name: string;
}

/** A mark as it stands in a schema; whether it keeps the rules is not known yet. */
interface FoundMark {
  readonly path: readonly string[];
  readonly isReachable: boolean;
  readonly schema: JsonObject;
}

const markKey = 'x-mcp-header';

const markedTypes: readonly (JsonValue | undefined)[] = ['string', 'integer', 'boolean'];

/** Keywords whose values are data: a member of them that is called like a mark is none. */
const dataKeywords: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** Keywords whose values are schemas by names that the server chooses. */
const namedSchemas: ReadonlySet<string> = new Set(['patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** The parameters of a tool that go into headers; none of a tool whose marks break the rules. */
export function headerMarks(tool: JsonObject): readonly HeaderMark[] {
  const found = [...marksIn(asObject(tool['inputSchema']), [], true)];
  if (reasonAgainst(found) !== undefined) return [];
  return found.map(({ path, schema }) => ({ path, name: String(schema[markKey]) }));
}

/**
 * Why the marks of a tool break the rules for `x-mcp-header` (2026-07-28, server/tools): such a tool is left out of lists.
 * @param tool An entry of a result of `tools/list`.
 * @returns A clause to print after the tool's name, with what comes from the server quoted and cut; undefined: none is broken
 */
export function brokenHeaderMark(tool: JsonObject): string | undefined {
  return reasonAgainst([...marksIn(asObject(tool['inputSchema']), [], true)]);
}

function reasonAgainst(found: readonly FoundMark[]): string | undefined {
  const names = new Set<string>();
  for (const mark of found) {
    const reason = reasonAgainstOne(mark);
    if (reason !== undefined) return reason;
    const name = String(mark.schema[markKey]).toLowerCase();
    if (names.has(name)) return `two parameters are marked for the header ${quoted(`Mcp-Param-${name}`, 80)}`;
    names.add(name);
  }
  return undefined;
}

function reasonAgainstOne({ path, isReachable, schema }: FoundMark): string | undefined {
  const parameter = path.length === 0 ? 'the arguments as a whole' : quoted(path.join('.'), 80);
  const { [markKey]: name, type } = schema;
  if (!isReachable || path.length === 0) {
    return `the header mark of ${parameter} stands where "properties" alone does not lead`;
  }
  if (typeof name !== 'string') return `the header mark of ${parameter} is no text`;
  if (name === '') return `the header mark of ${parameter} is empty`;
  if (!isFieldName(name)) return `the header mark of ${parameter}, ${quoted(name, 80)}, is no name of a header`;
  if (!markedTypes.includes(type)) {
    return `${parameter} is marked for a header and is neither a string, an integer nor a boolean`;
  }
  if (type === 'integer' && hasUnsafeValue(schema)) {
    return `${parameter} is marked for a header and has an integer beyond 2^53 - 1`;
  }
  return undefined;
}

/** Whether the schema itself names an integer that is not exact as a number of JSON. */
function hasUnsafeValue({ const: only, default: preset, enum: choices }: JsonObject): boolean {
  const values = [only, preset, ...(Array.isArray(choices) ? choices : [])];
  return values.some((value) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER);
}

/** All marks in a schema. Only a chain of `properties` says for sure where a value is. */
function* marksIn(
  schema: JsonObject | undefined,
  path: readonly string[],
  isReachable: boolean,
): Generator<FoundMark, void> {
  if (schema === undefined) return;
  if (Object.hasOwn(schema, markKey)) yield { path, isReachable, schema };
  for (const [keyword, value] of Object.entries(schema)) {
    if (dataKeywords.has(keyword)) continue;
    const isChain = keyword === 'properties';
    const isNamed = isChain || namedSchemas.has(keyword);
    const below = asObject(value);
    const entries = isNamed && below !== undefined ? Object.entries(below) : unnamed(keyword, value);
    for (const [name, one] of entries) {
      const from = isChain ? [...path, name] : [...path, keyword];
      yield* marksIn(asObject(one), from, isReachable && isChain);
    }
  }
}

function unnamed(keyword: string, value: JsonValue | undefined): readonly (readonly [string, JsonValue | undefined])[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => [keyword, one] as const);
}
