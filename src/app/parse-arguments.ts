import type { CommandTable, OptionSpec } from '../core/command.js';
import type { RawArguments } from './check-arguments.js';
import { globalOptions } from './global-options.js';

/**
 * Takes the words after the command's name apart when each option stands alone, by the same table that yargs is given;
 * undefined for whatever is not plain: letters run together, `--`, odd spellings. Then yargs decides what it means,
 * which takes as long to load as all the rest.
 */
export function parsePlain(table: CommandTable, argv: readonly string[]): RawArguments | undefined {
  const specs: readonly OptionSpec[] = [...table.options, ...globalOptions];
  const options = new Map<string, (string | boolean)[]>();
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) {
      words.push(word);
      continue;
    }
    const [, name, inline, letter] = /^(?:--([a-z-]+)(?:=(.+))?|-([A-Za-z]))$/s.exec(word) ?? [];
    const spec = specs.find((one) => one.name === name || (letter !== undefined && one.alias === letter));
    if (spec === undefined) {
      return undefined;
    }
    let value: string | boolean | undefined = inline;
    if (spec.kind === 'boolean') {
      // yargs takes a `true` or `false` that follows for the value of a switch.
      value = inline === undefined && !/^(?:true|false)$/.test(argv[at + 1] ?? '') ? true : undefined;
    } else if (inline === undefined) {
      at += 1;
      value = argv[at];
    }
    if (value === undefined || value === '' || (typeof value === 'string' && value.startsWith('-'))) {
      return undefined;
    }
    options.set(spec.name, [...(options.get(spec.name) ?? []), value]);
  }
  return { options, words };
}

/** What of yargs' habits is not ours: it guesses numbers, negations and dots where a word is meant. */
const habits = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'boolean-negation': false,
  'greedy-arrays': false,
  'strip-aliased': true,
} as const;

/** Stands for `-`, which yargs does not take as a value; no argument can hold a NUL. */
const dash = '\0-';

/** Takes the words after the command's name apart; yargs is loaded for those lines that need it. */
export async function parseArguments(table: CommandTable, argv: readonly string[]): Promise<RawArguments> {
  const end = table.rest === undefined ? -1 : argv.indexOf('--');
  if (end !== -1) {
    return { ...(await parseArguments(table, argv.slice(0, end))), rest: argv.slice(end + 1) };
  }
  return parsePlain(table, argv) ?? (await parseWithYargs(table, argv));
}

/**
 * Takes the words after the command's name apart, by a table and the global options. Only the parser of yargs is used:
 * what it finds is judged by `checkArguments`, and `--help` is laid out from the table without it.
 */
export async function parseWithYargs(table: CommandTable, argv: readonly string[]): Promise<RawArguments> {
  const { Parser } = await import('yargs/helpers');
  const specs: readonly OptionSpec[] = [...table.options, ...globalOptions];
  const named = (isBoolean: boolean) =>
    specs.filter(({ kind }) => (kind === 'boolean') === isBoolean).map(({ name }) => name);
  const { _: words, ...given } = Parser(
    argv.map((word) => spellOut(word, specs)),
    {
      boolean: named(true),
      string: named(false),
      alias: Object.fromEntries(
        specs.flatMap(({ name, alias }) => (alias === undefined ? [] : [[name, alias]])),
      ),
      configuration: habits,
    },
  );
  const options = new Map(Object.entries(given).map(([name, value]) => [name, valuesOf(value)]));
  for (const [name, value] of oddities(argv, specs)) {
    options.set(name, [value]);
  }
  return { options, words: words.map((word) => asTyped(String(word))) };
}

/** `-XPOST` is `--request=POST`: yargs would take P, O, S and T for options. */
function spellOut(word: string, specs: readonly OptionSpec[]): string {
  if (word === '-') {
    return dash;
  }
  const [, letter, value] = /^-([A-Za-z])([^=].*)$/s.exec(word) ?? [];
  const spec = specs.find(({ alias, kind }) => alias === letter && kind !== 'boolean');
  return letter === undefined || spec === undefined ? word : `--${spec.name}=${value}`;
}

/** What yargs would swallow: its own two names, and a word as the value of a switch. */
function oddities(argv: readonly string[], specs: readonly OptionSpec[]): readonly [string, string][] {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).flatMap((word): [string, string][] => {
    const [, name = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const isSwitch = specs.some((spec) => spec.name === name && spec.kind === 'boolean');
    const isOdd = isSwitch ? value !== undefined : name === '_' || name === '$0';
    return isOdd ? [[name, value ?? '']] : [];
  });
}

function asTyped(word: string): string {
  return word === dash ? '-' : word;
}

function valuesOf(value: unknown): readonly (string | boolean)[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one): (string | boolean)[] => {
    if (typeof one === 'string') {
      return [asTyped(one)];
    }
    return typeof one === 'boolean' ? [one] : [];
  });
}
