import { type CommandTable, isCommandName } from '../core/command.js';
import { optionsOf } from './arguments.js';

/**
 * The command line with its command in front: options may stand before it, with their values, as yargs itself would take
 * them. Where the command stands as an option's value, the option goes last, and is refused for want of one. A line that
 * cannot be read so stays as it is.
 */
export function commandFirst(argv: readonly string[], tables: readonly CommandTable[]): readonly string[] {
  if (argv[0]?.startsWith('-') !== true) return argv;
  const isCommand = (word: string | undefined) => tables.some((one) => isCommandName(one, word));
  for (const [at, word] of argv.entries()) {
    if (word === '--') return argv;
    const table = tables.find((one) => isCommandName(one, word));
    const last = table && lastOption(argv.slice(0, at), table);
    if (table === undefined || last === undefined) continue;
    const behind = argv.slice(at + 1);
    if (last === 'complete') return [word, ...argv.slice(0, at), ...behind];
    if (behind.some(isCommand)) continue;
    const end = behind.indexOf('--');
    return [word, ...argv.slice(0, at - 1), ...behind.toSpliced(end === -1 ? behind.length : end, 0, last)];
  }
  return argv;
}

/**
 * Are these words options of the command, each with its value? Then `complete`; where the last one still wants its value
 * that option; undefined for anything else.
 */
function lastOption(words: readonly string[], table: CommandTable): string | undefined {
  let wanting: string | undefined;
  for (const word of words) {
    if (wanting !== undefined && !word.startsWith('-')) {
      wanting = undefined;
      continue;
    }
    const [, name, value, letter] = /^(?:--([a-z-]+)(=.*)?|-([A-Za-z]))$/s.exec(word) ?? [];
    const spec = optionsOf(table).find(({ name: own, alias }) => own === name || alias === (letter ?? ''));
    if (spec === undefined || wanting !== undefined) return undefined;
    wanting = spec.kind === 'boolean' || value !== undefined ? undefined : word;
  }
  return wanting ?? 'complete';
}
