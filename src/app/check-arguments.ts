import {
  type ArgumentValue,
  type CommandTable,
  camelCase,
  type LooseArguments,
  type OptionSpec,
  type PositionalSpec,
} from '../core/command.js';
import { closest } from '../core/text/closest.js';
import { quoted } from '../core/text/printable.js';
import { usageContradictory, usageMistyped, usageWrong } from '../core/usage-failures.js';
import { globalOptions } from './global-options.js';

/** A command line in pieces, whoever took it apart; nothing is judged yet. */
export interface RawArguments {
  /** By name (an alias is already its option), every value given, in order. */
  readonly options: ReadonlyMap<string, readonly (string | boolean)[]>;
  readonly words: readonly string[];
  /** What stood behind `--`, for a table that takes it. */
  readonly rest?: readonly string[];
}

/**
 * Judges a command line by its table: unknown options, missing, repeated and unfit values, too few or too many words.
 * An option that was not given takes the value of its environment variable; an empty variable counts as unset. The one
 * place where this is done, for yargs and for the fast path.
 * @throws Failure `usage_wrong`
 */
export function checkArguments(
  table: CommandTable,
  raw: RawArguments,
  env: Readonly<Record<string, string | undefined>>,
): LooseArguments {
  const specs: readonly OptionSpec[] = [...table.options, ...globalOptions];
  const help = `postern ${table.name} --help`;
  for (const name of raw.options.keys()) {
    if (!specs.some((spec) => spec.name === name)) {
      throw unknownOption(name, specs, help);
    }
  }
  for (const { name, excludes = [] } of specs.filter((spec) => isTyped(raw, spec.name))) {
    const other = excludes.find((excluded) => isTyped(raw, excluded));
    if (other !== undefined) {
      throw usageContradictory(`--${name}`, `--${other}`, help);
    }
  }
  const entries: [string, ArgumentValue][] = specs.map((spec) => [
    camelCase(spec.name),
    given(spec, raw, env, help),
  ]);
  const rest: readonly [string, ArgumentValue][] =
    table.rest === undefined ? [] : [[camelCase(table.rest.name), raw.rest ?? []]];
  return Object.fromEntries([...entries, ...positionals(table, raw.words, help), ...rest]);
}

/** Was it given on the command line, and not switched off there? */
function isTyped(raw: RawArguments, name: string): boolean {
  const last = raw.options.get(name)?.at(-1);
  return last !== undefined && last !== false;
}

function unknownOption(name: string, specs: readonly OptionSpec[], help: string): Error {
  const dashed = (option: string) => `${option.length === 1 ? '-' : '--'}${option}`;
  const message = `There is no option ${quoted(dashed(name), 80)} here.`;
  const meant = closest(
    name,
    specs.map((spec) => spec.name),
  );
  return meant === undefined ? usageWrong(message, help) : usageMistyped(message, dashed(meant));
}

function given(
  spec: OptionSpec,
  raw: RawArguments,
  env: Readonly<Record<string, string | undefined>>,
  help: string,
): ArgumentValue {
  const typed = raw.options.get(spec.name);
  const variable = spec.kind === 'boolean' || spec.env === undefined ? '' : (env[spec.env] ?? '');
  return typed === undefined && variable !== ''
    ? optionValue(spec, spec.env ?? '', [variable], help)
    : optionValue(spec, `--${spec.name}`, typed ?? [], help);
}

/** @param source The option or variable that the values come from. */
function optionValue(
  spec: OptionSpec,
  source: string,
  given: readonly (string | boolean)[],
  help: string,
): ArgumentValue {
  const wrong = (why: string) => usageWrong(`${source} ${why}.`, help);
  if (spec.kind === 'boolean') {
    const last = given.at(-1) ?? false;
    if (typeof last === 'string') {
      throw wrong('takes no value');
    }
    return last;
  }
  const values = given.filter((value) => typeof value === 'string' && value !== '').map(String);
  if (values.length < given.length) {
    throw wrong('needs a value');
  }
  if ('choices' in spec && spec.choices !== undefined) {
    const { choices } = spec;
    const odd = values.find((value) => !choices.includes(value));
    if (odd !== undefined) {
      const meant = closest(odd, choices);
      const message = `${source} cannot be ${quoted(odd, 80)}: it is one of ${choices.join(', ')}.`;
      throw meant === undefined ? usageWrong(message, help) : usageMistyped(message, meant);
    }
  }
  if (spec.kind === 'list') {
    return values;
  }
  if (values.length > 1) {
    throw wrong('was given more than once');
  }
  const [value] = values;
  if (value === undefined || spec.kind === 'string') {
    return value ?? spec.default;
  }
  const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= spec.min && number <= spec.max)) {
    throw wrong(`is a whole number from ${spec.min} to ${spec.max}, not ${quoted(value, 40)}`);
  }
  return number;
}

function positionals(
  table: CommandTable,
  words: readonly string[],
  help: string,
): readonly [string, ArgumentValue][] {
  const specs: readonly PositionalSpec[] = table.positionals;
  const values = specs.map((spec, index): [string, ArgumentValue] => {
    const word = words[index];
    if (spec.required && word === undefined) {
      throw usageWrong(
        `postern ${table.name} needs ${/^[aeiou]/.test(spec.name) ? 'an' : 'a'} ${spec.name}: ${spec.describe}.`,
        help,
      );
    }
    if (word === '') {
      throw usageWrong(spec.many === true ? 'A word is empty.' : `The ${spec.name} is empty.`, help);
    }
    return [camelCase(spec.name), spec.many === true ? words.slice(index) : word];
  });
  const extra = specs.at(-1)?.many === true ? undefined : words[specs.length];
  if (extra !== undefined) {
    const where = table.rest === undefined ? '' : `; a ${table.rest.name} stands after “--”`;
    const message = `postern ${table.name} takes no further word, and ${quoted(extra, 80)} is one${where}.`;
    throw usageWrong(message, help);
  }
  return values;
}
