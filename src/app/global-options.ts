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

/**
 * Does the person ask for this, before `--`? For what must be known before the command line is parsed, or when it
 * cannot be.
 */
export function asks(argv: readonly string[], ...names: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => names.includes(word));
}
