import type { ArgumentValue, CommandTable, LooseArguments, OptionSpec } from '../core/command.js';
import { camelCase } from '../core/command.js';
import type { Failure } from '../core/failure.js';
import { usageMistyped, usageWrong } from '../core/failures.js';
import { closest } from '../core/text/closest.js';
import { quoted } from '../core/text/printable.js';
import { optionIn, optionsOf } from './global-options.js';

/** All values of one option, in order. */
type Given = readonly (string | boolean)[];

/**
 * The typed arguments of a parsed command line, within their limits. An option that is missing takes the value of its
 * environment variable; an empty variable counts as unset.
 * @param given The values by name.
 * @throws Failure `usage_wrong`
 */
export function typedArguments(
  table: CommandTable,
  given: (name: string) => Given,
  env: Readonly<Record<string, string | undefined>>,
): LooseArguments {
  const help = `postern ${table.name} --help`;
  const options = optionsOf(table).map((spec): [string, ArgumentValue] => {
    const isImplied = spec.kind === 'string' && spec.impliedBy !== undefined && given(spec.impliedBy).at(-1) === true;
    const typed = isImplied ? [...given(spec.name), ...(spec.choices ?? [])].slice(0, 1) : given(spec.name);
    const variable = spec.kind === 'boolean' || spec.env === undefined ? '' : (env[spec.env] ?? '');
    const isSet = typed.length === 0 && variable !== '';
    const [source, values] = isSet ? [spec.env ?? '', [variable]] : [`--${spec.name}`, typed];
    return [camelCase(spec.name), optionValue(spec, source, values, help)];
  });
  const words = table.positionals.map(({ name, many }): [string, ArgumentValue] => {
    const values = given(name).map(String);
    if (values.includes('')) throw usageWrong(many === true ? 'A word is empty.' : `The ${name} is empty.`, help);
    return [camelCase(name), many === true ? values : values[0]];
  });
  return Object.fromEntries([...options, ...words]);
}

/** @param source The option or variable that the values come from. */
function optionValue(spec: OptionSpec, source: string, given: Given, help: string): ArgumentValue {
  const wrong = (why: string) => usageWrong(`${source} ${why}.`, help);
  if (spec.kind === 'boolean') return given.at(-1) === true;
  const values = given.map(String);
  if (values.includes('')) throw wrong('needs a value');
  const odd = values.find((value) => 'choices' in spec && spec.choices?.includes(value) === false);
  if (odd !== undefined) throw noChoice(spec, source, odd, help);
  if (spec.kind === 'list') return values;
  if (values.length > 1) throw wrong('was given more than once');
  const [value] = values;
  if (value === undefined || spec.kind === 'string') return value ?? spec.default;
  const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= spec.min && number <= spec.max)) {
    throw wrong(`is a whole number from ${spec.min} to ${spec.max}, not ${quoted(value, 40)}`);
  }
  return number;
}

/** Refuses a value that is no choice, and suggests the closest one. */
function noChoice(spec: OptionSpec, source: string, given: string, help: string): Failure {
  const choices = 'choices' in spec ? (spec.choices ?? []) : [];
  const message = `${source} cannot be ${quoted(given, 80)}: it is one of ${choices.join(', ')}.`;
  const meant = closest(given, choices);
  return meant === undefined ? usageWrong(message, help) : usageMistyped(message, meant, { typed: given, meant });
}

/**
 * The arguments of a command line whose options each stand alone, without yargs, which takes as long to load as all else
 * that the hot path does. Undefined for whatever is odd or wrong: yargs finds out what it is.
 */
export function plainArguments(
  table: CommandTable,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): LooseArguments | undefined {
  if (table.rest !== undefined && argv.includes('--')) return undefined;
  const given = new Map<string, (string | boolean)[]>();
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) {
      words.push(word);
      continue;
    }
    const spec = optionIn(word, optionsOf(table));
    const [, inline] = /^--[^=]+=(.*)$/s.exec(word) ?? [];
    if (spec === undefined || (spec.excludes ?? spec.needs) !== undefined) return undefined;
    let value: string | boolean | undefined = inline;
    if (spec.kind === 'boolean') {
      // yargs takes a `true` or `false` that follows for the value of a switch.
      value = inline === undefined && !/^(?:true|false)$/.test(argv[at + 1] ?? '') ? true : undefined;
    } else if (inline === undefined) {
      at += 1;
      value = argv[at];
    }
    if (value === undefined || (typeof value === 'string' && /^-|^$/.test(value))) return undefined;
    given.set(spec.name, [...(given.get(spec.name) ?? []), value]);
  }
  const { positionals } = table;
  const max = positionals.at(-1)?.many === true ? words.length : positionals.length;
  if (words.length > max || positionals[words.length]?.required === true) return undefined;
  positionals.forEach(({ name, many }, at) => {
    given.set(name, words.slice(at, many === true ? undefined : at + 1));
  });
  try {
    const behind = table.rest === undefined ? {} : { [camelCase(table.rest.name)]: [] };
    return { ...typedArguments(table, (name) => given.get(name) ?? [], env), ...behind };
  } catch {
    return undefined;
  }
}
