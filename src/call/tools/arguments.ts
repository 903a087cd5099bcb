import { closest } from '../../core/text/closest.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../../core/text/json.js';
import { shellWord } from '../../core/text/printable.js';
import type { ToolParameter, ToolSignature } from '../../stores/state/tool-lists.js';
import { argumentUnusable, parameterMissing, parameterUnknown, several, valueRefused } from '../failures.js';
import { exampleOf, takesInWords } from './in-words.js';

/** What one word of a command line gives a tool or prompt. */
export type Given =
  /** `name=text`, or a word without a name. */
  | { readonly kind: 'text'; readonly word: string; readonly name: string | undefined; readonly text: string }
  /** `name:=JSON`, and the members of an object: they are sent as they are. */
  | { readonly kind: 'json'; readonly members: JsonObject };

/** The arguments where there is no schema: text is text. @throws Failure `argument_unusable` */
export function plainArguments(given: readonly Given[]): JsonObject {
  return Object.fromEntries(
    given.flatMap((one): readonly (readonly [string, JsonValue])[] => {
      if (one.kind === 'json') return Object.entries(one.members);
      if (one.name === undefined) throw argumentUnusable(one.word, 'it is not of the form key=value');
      return [[one.name, one.text]];
    }),
  );
}

/** Whether it takes the tool's schema to know what to send: text may have to be a number, or be meant for a parameter. */
export function needsSchema(given: readonly Given[]): boolean {
  return given.length === 0 || given.some(({ kind }) => kind === 'text');
}

/**
 * The arguments that a tool takes. Text is a number, truth value or JSON where the schema wants one and allows no text.
 * @param help The command that explains the tool.
 * @throws Failure `parameter_unknown`, `parameter_missing`, `value_refused`, `argument_unusable`
 */
export function argumentsFor(tool: ToolSignature, given: readonly Given[], help: string): JsonObject {
  const { name, parameters } = tool;
  const named = new Set(given.flatMap((one) => (one.kind === 'json' ? Object.keys(one.members) : (one.name ?? []))));
  const values = given.flatMap((one): readonly (readonly [string, JsonValue])[] => {
    if (one.kind === 'json') return Object.entries(one.members);
    const parameter = parameterFor(tool, one, { given, named, help });
    if (parameter === undefined) return [[one.name ?? '', one.text]];
    const isWhole = one.name === undefined || one.name !== parameter.name;
    return [[parameter.name, typedValue(parameter, isWhole ? one.word : one.text, help)]];
  });
  const sent = Object.fromEntries(values);
  const missing = parameters.filter((one) => one.isRequired && !Object.hasOwn(sent, one.name));
  if (missing.length > 0) {
    const names = missing.map((one) => one.name);
    throw parameterMissing(name, names, missing.map(exampleOf).join(' '), help);
  }
  return sent;
}

interface Around {
  readonly given: readonly Given[];
  /** Parameters that some word names. */
  readonly named: ReadonlySet<string>;
  readonly help: string;
}

/** The parameter that a text is for; undefined for one that the tool may take though it does not list it. */
function parameterFor(
  { name: tool, parameters, isOpen }: ToolSignature,
  { word, name }: Extract<Given, { kind: 'text' }>,
  { given, named, help }: Around,
): ToolParameter | undefined {
  const own = parameters.find((one) => one.name === name);
  if (own !== undefined) return own;
  const names = parameters.map((one) => one.name);
  const alone = onlyOne(parameters);
  const which = alone ?? parameters[0];
  const isApart = (one: Given) => one.kind === 'text' && isValueAlone(one.name) && !names.includes(one.name ?? '');
  const apart = given.flatMap((one) => (one.kind === 'text' && isApart(one) ? one.word : []));
  if (isValueAlone(name) && alone !== undefined && !named.has(alone.name)) {
    refuseDoubtful(word, { names, alone: alone.name, apart });
    return alone;
  }
  if (name === undefined) {
    if (which === undefined)
      throw argumentUnusable(word, 'the tool takes no parameters', `Leave it out, or see: ${help}`);
    const why = `a value stands alone only for a single required parameter (there are: ${several(names)})`;
    const example = withColon(word, names) ?? `${which.name}=${shellWord(word)}`;
    throw argumentUnusable(word, why, `Name it, such as ${example}, or see: ${help}`);
  }
  if (isOpen) return undefined;
  throw parameterUnknown({ tool, name, names }, closest(name, names), help);
}

/** A word that is meant for the one parameter, or for something else, as other programs take it. @throws Failure `argument_unusable` */
function refuseDoubtful(
  word: string,
  {
    names,
    alone,
    apart,
  }: { readonly names: readonly string[]; readonly alone: string; readonly apart: readonly string[] },
): void {
  if (apart.length > 1) {
    const why = `${apart.length} words stand alone (${several(apart)}), and the tool takes one value so`;
    throw argumentUnusable(
      word,
      why,
      `For one value of several words put quotes around it: ${shellWord(apart.join(' '))}`,
    );
  }
  if (isArguments(word, names)) {
    const remedy = `For the value, put ${alone}= before it; for the arguments, write the object to stdin, and - here.`;
    throw argumentUnusable(word, 'it may be a value, or the tool’s arguments as JSON', remedy);
  }
  const parameter = withColon(word, names);
  if (parameter === undefined) return;
  const remedy = `For the parameter: ${parameter}; for the value: ${shellWord(`${alone}=${word}`)}`;
  throw argumentUnusable(word, 'it may be a value, or a parameter with its value', remedy);
}

/** Is it a JSON object with nothing in it but parameters of the tool? Other programs take the arguments so. */
function isArguments(word: string, names: readonly string[]): boolean {
  if (!word.startsWith('{')) return false;
  const parsed = parseJson(new TextEncoder().encode(word), { maxDepth: 200, maxKeys: 100_000 });
  const members = parsed.ok ? Object.keys(asObject(parsed.value) ?? {}) : [];
  return members.length > 0 && members.every((name) => names.includes(name));
}

/** `name=value` for `name:value`, where a parameter is called so: other programs take it so. An address is none. */
function withColon(word: string, names: readonly string[]): string | undefined {
  const [, name, value] = /^([\w.-]+):(?!\/\/)(.+)$/s.exec(word) ?? [];
  return name !== undefined && names.includes(name) ? shellWord(`${name}=${value}`) : undefined;
}

/** Is it a value, and no name? `https://example.com/?a=b` is one, too. */
function isValueAlone(name: string | undefined): boolean {
  return name === undefined || !/^[\w.-]+$/.test(name);
}

/** The only required parameter, or the only one. */
function onlyOne(parameters: readonly ToolParameter[]): ToolParameter | undefined {
  const required = parameters.filter((one) => one.isRequired);
  const [first, another] = required.length > 0 ? required : parameters;
  return another === undefined ? first : undefined;
}

function typedValue(parameter: ToolParameter, text: string, help: string): JsonValue {
  const { name, types, choices } = parameter;
  const refused = (meant?: string) => {
    const remedy = meant === undefined ? `See: ${help}` : `Did you mean ${name}=${shellWord(meant)}?`;
    return valueRefused({ name, text, takes: takesInWords(parameter) }, remedy, meant);
  };
  if (choices !== undefined) {
    const choice = choices.find((one) => one === text) ?? choices.find((one) => JSON.stringify(one) === text);
    if (choice !== undefined) return choice;
    throw refused(closest(text, choices.filter((one) => one !== null).map(String)));
  }
  if (types.length === 0 || types.includes('string')) return text;
  const value = types.map((type) => valueAs(type, text)).find((one) => one !== undefined);
  if (value === undefined) throw refused();
  return value;
}

/** A text as a value of that type of JSON Schema; undefined where it is none. */
export function valueAs(type: string, text: string): JsonValue | undefined {
  return readers[type]?.(text.trim());
}

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** What a text is as a value of each type; undefined where it is none. */
const readers: Readonly<Record<string, ((text: string) => JsonValue | undefined) | undefined>> = {
  integer: (text) => (/^-?\d+$/.test(text) ? jsonIn(text) : undefined) ?? exactly(text, Number.isSafeInteger),
  number: (text) => (number.test(text) ? jsonIn(text) : undefined) ?? exactly(text, isExact),
  boolean: (text) => (/^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined),
  null: (text) => (text === 'null' ? null : undefined),
  object: (text) => (text.startsWith('{') ? jsonIn(text) : undefined),
  array: (text) => (text.startsWith('[') ? jsonIn(text) : undefined),
};

/** For what JSON spells in another way, such as `+1`. */
function exactly(text: string, is: (value: number) => boolean): number | undefined {
  return number.test(text) && is(Number(text)) ? Number(text) : undefined;
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function jsonIn(text: string): JsonValue | undefined {
  const parsed = parseJson(new TextEncoder().encode(text), { maxDepth: 200, maxKeys: 1_000_000, keepsNumbers: true });
  return parsed.ok ? parsed.value : undefined;
}
