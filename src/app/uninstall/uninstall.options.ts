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
    'Taken back are entries in other programs’ files (as by setup --undo), programs that credential --shim wrote, every login (revoked at its authorization server), client registrations and keys, and the files of postern itself.',
    'Without a terminal, and with --json, it only shows, unless --yes is given. Files that tell of what cannot be taken back are kept; the exit code is that of the first failure. Interrupted, it is run again.',
  ],
} as const satisfies CommandTable;
