import type { OptionSpec } from '../core/command.js';
import type { ClientLogin } from '../core/ports.js';
import { usageWrong } from '../core/usage-failures.js';
import { assertionOptions, ofClient } from './assertions/options.js';
import { isInMemory, memoryOption } from './memory-store.js';

/** How a command logs in for itself alone, as a client and without a person: for CI. Nothing of it is kept. */
export const clientLoginOptions = [
  {
    name: 'client-credentials',
    topic: 'machines',
    kind: 'boolean',
    describe: 'log in as a client, for this run alone',
  },
  { name: 'client-id', ...ofClient, kind: 'string', value: 'ID', describe: 'the client; or POSTERN_CLIENT_ID' },
  { name: 'client-secret-file', ...ofClient, kind: 'string', value: 'FILE', describe: 'file with its secret' },
  { name: 'client-key-file', ...ofClient, kind: 'string', value: 'FILE', describe: 'file with its private key' },
  ...assertionOptions,
  { name: 'authorization-server', ...ofClient, kind: 'string', value: 'ISSUER', describe: 'where it is registered' },
  { name: 'scope', ...ofClient, kind: 'list', value: 'SCOPE', describe: 'scope to ask for; repeatable' },
] as const satisfies readonly OptionSpec[];

/** The same where nothing else can be done with a store in memory. */
export const ownLoginOptions = [
  ...clientLoginOptions,
  { ...memoryOption, describe: 'with --client-credentials: keep that login in memory, for this command alone' },
] as const satisfies readonly OptionSpec[];

/** How a command that can log in for itself alone was asked for it. */
export interface OwnLoginArguments extends ClientLogin {
  readonly clientCredentials: boolean;
  readonly store: string | undefined;
}

/**
 * Does this command log in for itself as a client?
 * @param command Its name, for the failure. @param byPerson Can it log in with a person, too?
 * @throws Failure `usage_wrong` where the options make no whole
 */
export function isClientLogin(args: OwnLoginArguments, command: string, byPerson: boolean): boolean {
  const help = `postern ${command} --help`;
  if (!args.clientCredentials) {
    if (isInMemory(args) && !byPerson) {
      throw usageWrong('--store memory needs --client-credentials here: a login for this run alone.', help);
    }
    return false;
  }
  return true;
}

/** `--pin`: of those commands that `setup` writes into the configuration of other programs. */
export const pinOption = {
  name: 'pin',
  topic: 'hosts',
  kind: 'string',
  value: 'HASH',
  describe: 'hash of the login that the name has to stand for',
} as const;
