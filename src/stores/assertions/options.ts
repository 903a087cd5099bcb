import type { OptionSpec } from '../../core/command.js';
import type { AssertionOptions } from '../../core/ports.js';

/** Of each command that can log in as a client: a platform's signed token stands in for a secret (RFC 7523). */
export const assertionOptions = [
  {
    name: 'assertion-file',
    kind: 'string',
    value: 'FILE',
    describe:
      'of --client-credentials: a token that the platform signs, in place of a secret, read anew each time; or POSTERN_ASSERTION_FILE',
  },
  {
    name: 'assertion-env',
    kind: 'string',
    value: 'VARIABLE',
    describe: 'the same, from the variable of that name; or POSTERN_ASSERTION_ENV',
  },
  {
    name: 'assertion-command',
    kind: 'string',
    value: 'CMD',
    describe: 'the same, as a program prints it: its absolute path and arguments, or a JSON list of them; no shell',
  },
  {
    name: 'assertion-audience',
    kind: 'string',
    value: 'AUDIENCE',
    describe: 'the one audience that token has; needs --authorization-server; or POSTERN_ASSERTION_AUDIENCE',
    fallback: 'the authorization server’s issuer',
  },
  {
    name: 'assertion-as',
    kind: 'string',
    choices: ['grant', 'client'],
    value: 'USE',
    describe: 'exchange that token (jwt-bearer), or authenticate the client with it; or POSTERN_ASSERTION_AS',
    fallback: 'what the authorization server lists',
  },
] as const satisfies readonly OptionSpec[];

/** Each that was given. */
export function assertionOptionsOf(args: AssertionOptions): readonly (string | undefined)[] {
  const { assertionFile, assertionEnv, assertionCommand, assertionAudience, assertionAs } = args;
  return [assertionFile, assertionEnv, assertionCommand, assertionAudience, assertionAs];
}
