import type { OptionSpec } from '../../core/command.js';

/** Whether the login is bound to a key (RFC 9449). */
export const dpopOptions = [
  {
    name: 'dpop',
    kind: 'boolean',
    describe:
      'only with a token that is bound to a key (DPoP), or not at all; kept with the login. Without it: where the authorization server announces that',
  },
  {
    name: 'no-dpop',
    kind: 'boolean',
    describe: 'with a Bearer token, though the authorization server announces DPoP; kept with the login',
    excludes: ['dpop'],
  },
] as const satisfies readonly OptionSpec[];
