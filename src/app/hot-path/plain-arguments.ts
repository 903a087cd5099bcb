import type { CommandTable, LooseArguments } from '../../core/command.js';
import { camelCase } from '../../core/command.js';
import { typedArguments } from '../arguments.js';
import { optionIn, optionsOf } from '../global-options.js';

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
