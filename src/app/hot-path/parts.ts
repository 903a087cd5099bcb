import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ArgumentsOf, CommandTable } from '../../core/command.js';
import type { LoginRecord } from '../../core/records.js';
import { decodeCredential, type StoredCredential } from '../../stores/credential-item.js';
import { mentionsToken } from '../../stores/environment-token.js';
import { withSessionBus } from '../../stores/keychain/bus-address.js';
import { openKeyring } from '../../stores/keychain/secret-service-calls.js';
import type { OwnLoginArguments } from '../../stores/own-login.js';
import { homeFolder, recoveryPath, statePaths } from '../../stores/paths.js';
import { usable } from '../../tokens/read-credential.js';
import { plainArguments } from '../arguments.js';
import type { GlobalOptions } from '../global-options.js';

/** The arguments, when nothing about the command line or the environment is unusual. */
export function usualArguments<Table extends CommandTable>(
  table: Table,
  argv: readonly string[],
): (ArgumentsOf<Table> & GlobalOptions) | undefined {
  const { env } = process;
  const args = plainArguments(table, argv, env) as (ArgumentsOf<Table> & GlobalOptions & OwnLoginArguments) | undefined;
  if (args === undefined || (env['NODE_DEBUG'] ?? '') !== '' || mentionsToken(env)) return undefined;
  const { field, help, version, verbose, clientCredentials, store } = args;
  return field !== undefined || help || version || verbose || clientCredentials || store !== undefined
    ? undefined
    : args;
}

/** Where the index of logins is. @throws Failure `path_refused` */
export function stateFolder(): string {
  return statePaths(process.env, process.platform, homeFolder()).state;
}

/** What the keychain has of this login, where its token can be handed out as it is. To be proven for its server. */
export async function usableCredential(
  login: LoginRecord,
  wanted: { readonly minLifeMs: number | undefined; readonly kept?: boolean },
): Promise<StoredCredential | undefined> {
  if (login.store !== 'keychain') return undefined;
  using keyring = await openKeyring({ ...process.env, ...withSessionBus(process.env, process.geteuid?.()) });
  const item = await keyring?.read(login.key);
  const decoded = item === undefined ? undefined : decodeCredential(item, login);
  // A DPoP-bound token is refused with a message.
  if (decoded?.ok !== true || decoded.credential.dpopKey !== undefined) return undefined;
  // A refresh that was killed may have left a newer token, which the whole program moves into the store.
  const isRefreshWaiting = existsSync(recoveryPath(join(stateFolder(), 'recovery'), login.key));
  const isUsable = !isRefreshWaiting && usable(decoded.credential, { login, ...wanted }, Date.now());
  return isUsable ? decoded.credential : undefined;
}
