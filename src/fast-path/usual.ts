import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { checkArguments } from '../cli/check-arguments.js';
import { parsePlain } from '../cli/parse-plain.js';
import type { ArgumentsOf, CommandTable } from '../cli/table.js';
import type { LoginRecord } from '../primitives/records.js';
import { recoveryPath, statePaths } from '../system/state/paths.js';

/** Options of which the short way knows nothing. */
const unusual = ['help', 'version', 'verbose'] as const;

/**
 * The arguments, when nothing about the command line or the environment is unusual.
 * @throws Failure for a command line that is wrong
 */
export function usualArguments<Table extends CommandTable>(
  table: Table,
  argv: readonly string[],
): (ArgumentsOf<Table> & { readonly json: boolean }) | undefined {
  const { env } = process;
  const raw = parsePlain(table, argv);
  const isUnusual = (env['NODE_DEBUG'] ?? '') !== '' || unusual.some((option) => raw?.options.has(option));
  return raw === undefined || isUnusual
    ? undefined
    : (checkArguments(table, raw, env) as unknown as ArgumentsOf<Table> & { readonly json: boolean });
}

/** Where the index of logins is. @throws Failure `path_refused` */
export function stateFolder(): string {
  return statePaths(process.env, process.platform, homedir()).state;
}

/** Has a refresh that was killed left a newer token, which the whole program moves into the store? */
export function isRefreshWaiting({ key }: Pick<LoginRecord, 'key'>): boolean {
  return existsSync(recoveryPath(`${stateFolder()}/recovery`, key));
}
