import type { OptionSpec } from '../core/command.js';
import type { ClientLogin } from '../core/ports.js';

/** An option of a login as a client, for machines. */
const ofClient = { topic: 'machines', needs: ['client-credentials'] } as const;

/** Of each command that can log in as a client: a platform's signed token stands in for a secret (RFC 7523). */
export const assertionOptions = [
  {
    name: 'assertion-file',
    ...ofClient,
    excludes: ['assertion-env', 'assertion-command'],
    kind: 'string',
    value: 'FILE',
    describe: 'file of a token that the platform signs, in place of a secret; or POSTERN_ASSERTION_FILE',
  },
  {
    name: 'assertion-env',
    ...ofClient,
    excludes: ['assertion-command'],
    kind: 'string',
    value: 'VARIABLE',
    describe: 'variable with that token; or POSTERN_ASSERTION_ENV',
  },
  {
    name: 'assertion-command',
    ...ofClient,
    kind: 'string',
    value: 'CMD',
    describe: 'program that prints that token: absolute path and arguments, or a JSON list',
  },
  {
    name: 'assertion-audience',
    ...ofClient,
    kind: 'string',
    value: 'AUDIENCE',
    describe: 'audience of that token; or POSTERN_ASSERTION_AUDIENCE',
    fallback: 'the authorization server’s issuer',
  },
  {
    name: 'assertion-as',
    ...ofClient,
    kind: 'string',
    choices: ['grant', 'client'],
    value: 'USE',
    describe: 'how that token is used; or POSTERN_ASSERTION_AS',
    fallback: 'what the authorization server lists',
  },
] as const satisfies readonly OptionSpec[];

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

/** For commands that can log in for themselves alone. */
export const memoryOption = {
  name: 'store',
  topic: 'machines',
  kind: 'string',
  choices: ['memory'],
  impliedBy: 'client-credentials',
  value: 'memory',
  describe: 'log in for this command alone, and keep that login in memory',
} as const;

/** The same where nothing else can be done with a store in memory. */
export const ownLoginOptions = [
  ...clientLoginOptions,
  {
    ...memoryOption,
    needs: ['client-credentials'],
    describe: 'with --client-credentials: keep that login in memory, for this command alone',
  },
] as const satisfies readonly OptionSpec[];

/** How a command that can log in for itself alone was asked for it. */
export interface OwnLoginArguments extends ClientLogin {
  readonly clientCredentials: boolean;
  readonly store: string | undefined;
}

/** Does this command log in for itself alone? */
export function isInMemory(options: object): boolean {
  return 'store' in options && options.store === 'memory';
}

/** The arguments of a command that logs in for itself alone: then it has to log in. */
export function withOwnLogin<Arguments extends { readonly login: boolean }>(args: Arguments): Arguments {
  return isInMemory(args) ? { ...args, login: true } : args;
}

/** `--pin`: of those commands that `setup` writes into the configuration of other programs. */
export const pinOption = {
  name: 'pin',
  topic: 'hosts',
  kind: 'string',
  value: 'HASH',
  describe: 'hash of the login that the name has to stand for',
} as const;
