import type { OptionSpec } from '../../core/command.js';

/** How a command is given what its server wants beside the token. Never as a value: other users of a machine read those. */
export const headerOptions = [
  {
    name: 'header-file',
    kind: 'string',
    value: 'FILE',
    describe: 'headers that the server wants beside the token, “Name: value”, one a line; - for stdin',
    excludes: ['header-env'],
  },
  { name: 'header-env', kind: 'string', value: 'VARIABLE', describe: 'the same, from the variable of that name' },
] as const satisfies readonly OptionSpec[];

export const headerNote =
  'With --header-file or --header-env (an API key of a gateway, a tenant) this run sends these headers instead of those that are kept with the login, to its server’s own address and what is below it alone; a login that it makes keeps them (postern help logging-in).';
