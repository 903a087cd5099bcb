import type { JsonValue } from '../../core/text/json.js';
import { jsonText } from '../../core/text/json-number.js';
import { printable, shellWord } from '../../core/text/printable.js';
import type { ToolParameter } from '../../stores/state/tool-lists.js';

/** Choices are shown one by one where they take no more characters. */
const shortChoices = 40;

/** A parameter's type in one word: `string`, `integer|string`, `string[]`, `red|green`, `any`. Printable. */
export function typeWord({ types, entries, choices }: ToolParameter): string {
  const listed = choices
    ?.filter((one) => one !== null)
    .map(String)
    .join('|');
  if (listed !== undefined && listed.length <= shortChoices) return printable(listed, 80);
  const named = types.filter((type, _at, all) => type !== 'null' || all.length === 1);
  const words = named.map((type) => (type === 'array' && entries !== undefined ? `${entries}[]` : type));
  return words.length === 0 ? 'any' : printable(words.join('|'), 80);
}

/** `text:string`, or `[repeat:integer=1]` for what may be left out. Printable. */
export function parameterWord(parameter: ToolParameter): string {
  const { name, isRequired, default: preset } = parameter;
  const word = `${printable(name, 80)}:${typeWord(parameter)}`;
  if (isRequired) return word;
  return preset === undefined || preset === null ? `[${word}]` : `[${word}=${valueWord(preset)}]`;
}

/** A value as it would be typed, cut where it is long. Printable. */
export function valueWord(value: JsonValue): string {
  return printable(typeof value === 'string' && /^\S+$/.test(value) ? value : jsonText(value), 40);
}

const inWords: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  object: 'a JSON object, such as \'{"key":"value"}\'',
  array: 'a JSON list, such as \'["one","two"]\'',
};

/** Ends the sentence "it takes …". Not yet printable. */
export function takesInWords({ types, entries, choices }: ToolParameter): string {
  if (choices !== undefined) {
    const names = choices.filter((one) => one !== null).map(String);
    return names.length === 1 ? `only ${names[0]}` : `one of ${names.join(', ')}`;
  }
  const words = types.map((type) => {
    const isOfNumbers = type === 'array' && ['integer', 'number'].includes(entries ?? '');
    return isOfNumbers ? "a JSON list, such as '[1,2]'" : (inWords[type] ?? 'text');
  });
  return words.length === 0 ? 'anything' : words.join(', or ');
}

const examples: Readonly<Record<string, string>> = {
  integer: '1',
  number: '1.5',
  boolean: 'true',
  null: 'null',
  object: '{}',
  array: '[]',
};

/** `name=value` that can be typed as it is, with the parameter's default or a value of its type. */
export function exampleOf({ name, types, choices, default: preset, entries }: ToolParameter): string {
  const [choice] = choices?.filter((one) => one !== null) ?? [];
  const [type = 'string'] = types.includes('string') ? ['string'] : types;
  const lists: Readonly<Record<string, string>> = { integer: '[1]', number: '[1.5]', string: '["hello"]' };
  const own = type === 'array' ? (lists[entries ?? ''] ?? '[]') : (examples[type] ?? 'hello');
  const given = preset ?? choice;
  const value = given === undefined || given === null ? own : typeof given === 'string' ? given : jsonText(given);
  return shellWord(`${name}=${value}`);
}
