import type { OptionSpec } from '../../core/command.js';

/** How a command is given what its server wants beside the token. Never as a value: other users of a machine read those. */
export const headerOptions = [
  {
    name: 'header-file',
    topic: 'logging-in',
    kind: 'string',
    value: 'FILE',
    describe: 'headers to send beside the token, “Name: value”, one a line; - is stdin',
    excludes: ['header-env'],
  },
  { name: 'header-env', topic: 'logging-in', kind: 'string', value: 'VARIABLE', describe: 'the same, from a variable' },
] as const satisfies readonly OptionSpec[];
