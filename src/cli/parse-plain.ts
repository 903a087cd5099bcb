import type { RawArguments } from './check-arguments.js';
import { globalOptions } from './global-options.js';
import type { CommandTable, OptionSpec } from './table.js';

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
