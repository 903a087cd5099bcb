import type { CommandTable } from '../table.js';

export const statusTable = {
  name: 'status',
  summary: 'show every login: server, account, scopes, until when, what is wrong',
  positionals: [
    {
      name: 'server',
      describe: 'the server’s URL, or the name of a login; every login without',
      required: false,
    },
  ],
  options: [],
  notes: [
    'Secrets are neither read nor shown, and no server is asked. What a killed or failed login or logout has left in a store is removed.',
  ],
} as const satisfies CommandTable;
