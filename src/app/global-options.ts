import type { ArgumentsOf, CommandTable, OptionSpec } from '../core/command.js';

/** What every command understands, wherever it stands on the command line. */
export const globalOptions = [
  { name: 'json', kind: 'boolean', describe: 'results and failures as JSON (postern help json)' },
  { name: 'field', kind: 'string', value: 'PATH', describe: 'one value of that JSON as text, such as expiresAt' },
  { name: 'quiet', alias: 'q', kind: 'boolean', describe: 'no notes and no progress on stderr' },
  { name: 'verbose', alias: 'v', kind: 'boolean', describe: 'every step and every request; secrets are shown as ***' },
  { name: 'non-interactive', kind: 'boolean', describe: 'ask nobody, open no browser (as with CI=true)' },
  { name: 'no-color', kind: 'boolean', describe: 'no colours', env: 'NO_COLOR' },
  { name: 'help', alias: 'h', kind: 'boolean', describe: 'show this' },
  { name: 'version', kind: 'boolean', describe: 'show the version' },
] as const satisfies readonly OptionSpec[];

type GlobalTable = CommandTable & { readonly options: typeof globalOptions; readonly positionals: readonly [] };

export type GlobalOptions = ArgumentsOf<GlobalTable>;

/** A command's own options, and what every command understands. */
export function optionsOf(table: CommandTable | undefined): readonly OptionSpec[] {
  return [...(table?.options ?? []), ...globalOptions];
}

/** The option that a word names: `--name`, `--name=value` or its letter. */
export function optionIn(word: string, specs: readonly OptionSpec[]): OptionSpec | undefined {
  const [, name, letter] = /^(?:--([^=]+)(?:=.*)?|-([A-Za-z]))$/s.exec(word) ?? [];
  return specs.find((spec) => spec.name === name || (letter !== undefined && spec.alias === letter));
}

/** Index of the command, the first word that is neither an option nor its value; -1 without one. */
export function commandAt(argv: readonly string[], tables: readonly CommandTable[]): number {
  return argv.findIndex((word, at) => !word.startsWith('-') && !takesValue(argv[at - 1] ?? '', tables));
}

/** Is the word after this one its value, whatever the command? */
export function takesValue(word: string, tables: readonly CommandTable[]): boolean {
  if (!word.startsWith('-') || word.includes('=')) return false;
  const specs = [undefined, ...tables].flatMap((table) => optionIn(word, optionsOf(table)) ?? []);
  return specs.length > 0 && specs.every(({ kind }) => kind !== 'boolean');
}

/** Is one of these words on the line, before `--`? For use before or without parsing it. */
export function asks(argv: readonly string[], ...names: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => names.includes(word));
}
