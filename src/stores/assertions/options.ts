import type { OptionSpec } from '../../core/command.js';
import type { AssertionOptions } from '../../core/ports.js';

/** An option of a login as a client, for machines. */
export const ofClient = { topic: 'machines', needs: ['client-credentials'] } as const;

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

/** Each that was given. */
export function assertionOptionsOf(args: AssertionOptions): readonly (string | undefined)[] {
  const { assertionFile, assertionEnv, assertionCommand, assertionAudience, assertionAs } = args;
  return [assertionFile, assertionEnv, assertionCommand, assertionAudience, assertionAs];
}
