import type { CommandTable } from '../../core/command.js';

export const uninstallTable = {
  name: 'uninstall',
  group: 'more',
  seeAlso: ['logout', 'setup'],
  summary: 'show all that postern wrote on this machine, and take it back',
  positionals: [],
  options: [
    { name: 'yes', alias: 'y', kind: 'boolean', describe: 'take it back without asking' },
    {
      name: 'force',
      kind: 'boolean',
      describe: 'go on where a login’s store does not open, or an entry was changed since: that entry stays',
    },
  ],
  examples: [
    { command: 'postern uninstall', describe: 'what would be taken back; at a terminal it asks' },
    { command: 'postern uninstall --yes', describe: 'take it back' },
  ],
  notes: [
    'What is taken back: entries in other programs’ files (as setup --undo does it), programs written by credential --shim, every login (revoked at its authorization server), client registrations and keys, and the files in the state folder and config.json.',
    'Without a terminal, and with --json, it only shows, unless --yes is given. Interrupted in the middle, it is run again.',
    'Where a login or an entry cannot be taken back, the files that tell of it are kept, and the exit code is that of the first failure. The package itself stays: it is removed by what installed it.',
  ],
} as const satisfies CommandTable;
