import { parseArgs } from 'node:util';
import type { ArgumentValue, CommandTable, LooseArguments, OptionSpec } from '../core/command.js';
import { camelCase } from '../core/command.js';
import type { Failure } from '../core/failure.js';
import { usageMistyped, usageWrong } from '../core/failures.js';
import { closest } from '../core/text/closest.js';
import { quoted } from '../core/text/printable.js';
import { optionsOf } from './global-options.js';

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
  const words = table.positionals.map(({ name, many, choices }): [string, ArgumentValue] => {
    const values = given(name).map(String);
    if (values.includes('')) throw usageWrong(many === true ? 'A word is empty.' : `The ${name} is empty.`, help);
    const odd = values.find((value) => choices?.includes(value) === false);
    if (odd !== undefined) throw noChoice(choices, `The ${name}`, odd, help);
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
  const choices = 'choices' in spec ? spec.choices : undefined;
  const odd = values.find((value) => choices?.includes(value) === false);
  if (odd !== undefined) throw noChoice(choices, source, odd, help);
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
function noChoice(choices: readonly string[] = [], source: string, given: string, help: string): Failure {
  const message = `${source} cannot be ${quoted(given, 80)}: it is one of ${choices.join(', ')}.`;
  const meant = closest(given, choices);
  return meant === undefined ? usageWrong(message, help) : usageMistyped(message, meant, { typed: given, meant });
}

/** The options of a command, as `parseArgs` wants them. */
export function parsedOptions(table: CommandTable | undefined) {
  return Object.fromEntries(
    optionsOf(table).map(({ name, alias, kind }) => {
      const type = kind === 'boolean' ? ('boolean' as const) : ('string' as const);
      return [name, { type, multiple: true as const, ...(alias !== undefined && { short: alias }) }];
    }),
  );
}

/** The arguments of a plain command line, without loading yargs. Undefined for anything unusual: yargs decides then. */
export function plainArguments(
  table: CommandTable,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): LooseArguments | undefined {
  const { positionals, rest } = table;
  if (argv.includes('--')) return undefined;
  const specs = optionsOf(table);
  try {
    const read = parseArgs({ args: [...argv], options: parsedOptions(table), allowPositionals: true });
    const words = read.positionals;
    const max = positionals.at(-1)?.many === true ? words.length : positionals.length;
    if (words.length > max || positionals[words.length]?.required === true) return undefined;
    if (words.some((word) => /^(?:true|false)$/.test(word))) return undefined; // yargs takes it for the value of a switch
    const given = new Map(Object.entries(read.values).map(([name, values]) => [name, [values ?? []].flat()]));
    if (specs.some(({ name, excludes, needs }) => given.has(name) && (excludes ?? needs) !== undefined))
      return undefined;
    for (const [at, { name, many }] of positionals.entries()) {
      given.set(name, words.slice(at, many === true ? undefined : at + 1));
    }
    const behind = rest === undefined ? {} : { [camelCase(rest.name)]: [] };
    return { ...typedArguments(table, (name) => given.get(name) ?? [], env), ...behind };
  } catch {
    return undefined;
  }
}
