import type { CommandTable } from '../table.js';

export const moveTable = {
  name: 'move',
  summary: 'move the secrets of every login to another store',
  positionals: [
    {
      name: 'store',
      describe: 'keychain, file (sealed files), or helper:NAME (docker-credential-NAME)',
      required: true,
    },
  ],
  options: [],
  examples: [{ command: 'postern move file', describe: 'out of the keychain, into sealed files' }],
  notes: [
    'Each secret is written there and read again before it is removed where it was, so that a move that is interrupted loses nothing; run it again to end it. New logins go where the last one is. What the stores are: postern help login.',
  ],
} as const satisfies CommandTable;
