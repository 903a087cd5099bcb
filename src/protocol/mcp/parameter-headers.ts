import { asObject, type JsonObject, type JsonValue, parseJson, stringField } from '../../primitives/json.js';
import { encoded } from './message-headers.js';

type Header = readonly [name: string, value: string];

/** One parameter of a tool that its server wants to see in a header, too (SEP-2243, `x-mcp-header`). */
interface Mirrored {
  /** Member names from the arguments on. */
  readonly path: readonly string[];
  /** What follows `Mcp-Param-`. */
  readonly name: string;
}

const marker = new TextEncoder().encode('"x-mcp-header"');
const limits = { maxDepth: 200, maxKeys: 1_000_000 } as const;
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200}$/;
const mirroredTypes: readonly (JsonValue | undefined)[] = ['string', 'integer', 'boolean'];
const mostTools = 10_000;

/** The tools whose parameters go into headers, as the answers to `tools/list` tell them. */
export class ParameterHeaders {
  readonly #tools = new Map<string, readonly Mirrored[]>();

  /** Looks at an answer to `tools/list`; one that marks no parameter is not taken apart. */
  learn(answer: Uint8Array): void {
    if (!holds(answer, marker)) return;
    const parsed = parseJson(answer, limits);
    const tools = parsed.ok ? asObject(asObject(parsed.value)?.['result'])?.['tools'] : undefined;
    for (const value of Array.isArray(tools) ? tools : []) {
      const tool = asObject(value) ?? {};
      const name = stringField(tool, 'name');
      const mirrored = mirroredIn(asObject(tool['inputSchema']), []);
      if (name === undefined || (this.#tools.size >= mostTools && !this.#tools.has(name))) continue;
      const names = mirrored.map((one) => one.name.toLowerCase());
      // A definition that breaks the rules has no header: its server is the one to say so.
      this.#tools.set(name, new Set(names).size === names.length ? mirrored : []);
    }
  }

  /** The headers for a call of that tool; null and absent arguments have none. */
  headersFor(tool: string | undefined, call: Uint8Array): readonly Header[] {
    const mirrored = tool === undefined ? undefined : this.#tools.get(tool);
    if (mirrored === undefined || mirrored.length === 0) return [];
    const parsed = parseJson(call, limits);
    const given = parsed.ok ? asObject(asObject(parsed.value)?.['params'])?.['arguments'] : undefined;
    return mirrored.flatMap(({ path, name }): readonly Header[] => {
      const text = textOf(valueAt(given, path));
      return text === undefined ? [] : [[`mcp-param-${name}`, encoded(text)]];
    });
  }
}

/** Along `properties` only: nothing else says for sure that the argument is there. */
function mirroredIn(schema: JsonObject | undefined, path: readonly string[]): readonly Mirrored[] {
  const properties = asObject(schema?.['properties']) ?? {};
  return Object.entries(properties).flatMap(([key, value]) => {
    const property = asObject(value);
    const name = property?.['x-mcp-header'];
    const isFit =
      typeof name === 'string' && headerName.test(name) && mirroredTypes.includes(property?.['type']);
    const own = isFit ? [{ path: [...path, key], name }] : [];
    return [...own, ...mirroredIn(property, [...path, key])];
  });
}

function valueAt(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let at = value;
  for (const name of path) {
    const object = asObject(at);
    at = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
  }
  return at;
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

function holds(bytes: Uint8Array, wanted: Uint8Array): boolean {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
}
