import { asObject, type JsonObject, type JsonValue, stringField, stringListField } from '../../core/text/json.js';
import { headerMarks } from '../../mcp/headers/header-marks.js';
import type { ToolList, ToolParameter, ToolSignature } from '../../stores/state/tool-lists.js';

/** What is read of a server's list, at most; names and texts in characters. */
const max = { tools: 2_000, parameters: 200, choices: 200, name: 256, value: 200 } as const;

/** How long descriptions may be, in characters: of a tool, and of a parameter. */
const usualRoom = { ofTool: 2_000, ofParameter: 500 } as const;

/** Those of all tools together, where there are many: the list is to be kept. */
const maxTexts = 200_000;

/** Schemas within one tool's schema that are looked at: one that refers to itself has no end. */
const maxSchemas = 2_000;

const typeNames: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

/**
 * What a person needs of a result of `tools/list` in order to call the tools. The schemas are a server's, and may be
 * anything: what is not understood allows everything.
 * @param at When it was listed, in milliseconds since 1970.
 */
export function toolListOf(result: JsonObject, at: number): ToolList {
  const { tools: listed, nextCursor } = result;
  if (!Array.isArray(listed)) return { at, isWhole: false, tools: [] };
  const room = {
    ofTool: Math.min(usualRoom.ofTool, Math.ceil(maxTexts / listed.length)),
    ofParameter: Math.min(usualRoom.ofParameter, Math.ceil(maxTexts / 4 / listed.length)),
  };
  const tools = listed.slice(0, max.tools).flatMap((tool) => signatureOf(tool, room));
  return { at, isWhole: tools.length === listed.length && (nextCursor ?? null) === null, tools };
}

/** None for what is no tool. */
export function signatureOf(
  value: JsonValue,
  room: Readonly<Record<keyof typeof usualRoom, number>> = usualRoom,
): readonly ToolSignature[] {
  const tool = asObject(value);
  const name = tool && stringField(tool, 'name');
  if (tool === undefined || name === undefined || name === '' || name.length > max.name) return [];
  const marks = asObject(tool['annotations']) ?? {};
  const isReadOnly = marks['readOnlyHint'] === true;
  const isDestructive = !isReadOnly && marks['destructiveHint'] === true;
  const isIdempotent = !isReadOnly && marks['idempotentHint'] === true;
  const description = textIn(tool, 'description', room.ofTool);
  const input = inputOf(asObject(tool['inputSchema']) ?? {}, room.ofParameter);
  const isMarked = headerMarks(tool).length > 0;
  const takesSecret = secretMark.test(JSON.stringify(tool['inputSchema'] ?? null));
  const marked = { isReadOnly, isDestructive, isIdempotent, isMarked, ...(takesSecret && { takesSecret }) };
  return [{ name, description, ...marked, ...input }];
}

/** What JSON Schema and OpenAPI mark secrets by. */
const secretMark = /"format":"password"|"writeOnly":true/;

/** Members of a schema by which it may take more than its `properties` say. */
const opening = ['patternProperties', 'anyOf', 'oneOf', 'allOf', 'if', '$ref', '$dynamicRef', 'dependentSchemas'];

function inputOf(root: JsonObject, room: number): Pick<ToolSignature, 'parameters' | 'isOpen'> {
  const properties = Object.entries(asObject(root['properties']) ?? {});
  const required = new Set(stringListField(root, 'required') ?? []);
  const reader = new SchemaReader(root, room);
  const usable = properties.filter(([name]) => name !== '' && name.length <= max.name).slice(0, max.parameters);
  const parameters = usable.map(([name, schema]) => parameterOf(name, schema, required.has(name), reader));
  const { additionalProperties: more } = root;
  const takesMore = more === true || asObject(more) !== undefined || opening.some((member) => member in root);
  // What is required comes first, in the server's order.
  const inOrder = [...parameters.filter(isRequired), ...parameters.filter((one) => !isRequired(one))];
  return { parameters: inOrder, isOpen: takesMore || usable.length < properties.length };
}

function isRequired(parameter: ToolParameter): boolean {
  return parameter.isRequired;
}

function parameterOf(name: string, value: JsonValue, isNeeded: boolean, reader: SchemaReader): ToolParameter {
  const schema = asObject(value) ?? {};
  const { types, entries, choices } = reader.read(value, 0);
  const preset = schema['default'];
  return {
    name,
    types: types ?? [],
    entries,
    isRequired: isNeeded,
    choices,
    ...(preset !== undefined && JSON.stringify(preset).length <= max.value && { default: preset }),
    description: textIn(schema, 'description', reader.room) || textIn(schema, 'title', reader.room),
  };
}

function textIn(object: JsonObject, name: string, room: number): string {
  const text = (stringField(object, name) ?? '').trim();
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

/** What a schema allows, as far as it is understood. */
interface Allowed {
  /** Undefined: any. */
  readonly types: readonly string[] | undefined;
  readonly choices: readonly JsonValue[] | undefined;
  readonly entries: string | undefined;
}

const anything: Allowed = { types: undefined, choices: undefined, entries: undefined };

const maxDepth = 8;

/** Reads the schemas of one tool's parameters. */
class SchemaReader {
  /** For each description. */
  readonly room: number;
  readonly #root: JsonObject;
  #left = maxSchemas;

  constructor(root: JsonObject, room: number) {
    this.#root = root;
    this.room = room;
  }

  read(value: JsonValue, depth: number): Allowed {
    const schema = asObject(value);
    this.#left -= 1;
    if (schema === undefined || depth > maxDepth || this.#left < 0) return anything;
    const reference = stringField(schema, '$ref');
    if (reference !== undefined) return this.read(this.#referred(reference), depth + 1);
    const types = typesIn(schema['type']);
    const listed = 'const' in schema ? [schema['const'] ?? null] : schema['enum'];
    if (Array.isArray(listed) && listed.length > 0) return listedOnly(listed, types);
    if (types !== undefined) return { types, choices: undefined, entries: this.#entries(schema, types, depth) };
    const branches = schema['anyOf'] ?? schema['oneOf'];
    if (Array.isArray(branches)) return oneOf(branches.map((branch) => this.read(branch, depth + 1)));
    const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
    const known = parts.map((part) => this.read(part, depth + 1)).find((part) => part.types !== undefined);
    if (known !== undefined) return known;
    if ('properties' in schema) return { ...anything, types: ['object'] };
    return 'items' in schema ? { ...anything, types: ['array'] } : anything;
  }

  #entries(schema: JsonObject, types: readonly string[], depth: number): string | undefined {
    if (!types.includes('array') || schema['items'] === undefined) return undefined;
    const { types: inner } = this.read(schema['items'], depth + 1);
    return inner?.length === 1 ? inner[0] : undefined;
  }

  /** The schema at a JSON pointer into this one (RFC 6901); nothing else is ever fetched. */
  #referred(reference: string): JsonValue {
    if (!reference.startsWith('#')) return true;
    let at: JsonValue | undefined = this.#root;
    for (const step of reference.split('/').slice(1, maxDepth + 1)) {
      at = asObject(at)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    return at ?? true;
  }
}

/** Undefined where it says nothing, or something unknown. */
function typesIn(value: JsonValue | undefined): readonly string[] | undefined {
  const types = Array.isArray(value) ? value.slice(0, 8) : value === undefined ? [] : [value];
  const known = types.filter((type): type is string => typeof type === 'string' && typeNames.has(type));
  return known.length > 0 && known.length === types.length ? [...new Set(known)] : undefined;
}

function listedOnly(listed: readonly JsonValue[], types: readonly string[] | undefined): Allowed {
  const own = [...new Set(listed.map(typeOf))];
  const isShort = listed.every((one) => one === null || (typeof one !== 'object' && String(one).length <= max.value));
  const choices = isShort && listed.length <= max.choices ? listed : undefined;
  return { types: types ?? own, choices, entries: undefined };
}

function oneOf(branches: readonly Allowed[]): Allowed {
  if (branches.length === 0 || branches.some(({ types }) => types === undefined)) return anything;
  const types = [...new Set(branches.flatMap((branch) => branch.types ?? []))];
  const lists = branches.map(({ choices, types: own }) => choices ?? (own?.join() === 'null' ? [null] : undefined));
  const choices = lists.every((list) => list !== undefined) ? lists.flat().slice(0, max.choices + 1) : undefined;
  const isListed = choices !== undefined && choices.length <= max.choices && choices.some((one) => one !== null);
  return {
    types,
    choices: isListed ? choices : undefined,
    entries: branches.find(({ entries }) => entries !== undefined)?.entries,
  };
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
