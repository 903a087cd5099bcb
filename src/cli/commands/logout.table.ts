import type { CommandTable } from '../table.js';

export const logoutTable = {
  name: 'logout',
  summary: 'revoke a login at its authorization server, and forget it',
  positionals: [
    {
      name: 'server',
      describe: 'the server’s URL, or the name of a login; none with --all',
      required: false,
    },
  ],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    { name: 'all', kind: 'boolean', describe: 'every login' },
  ],
  notes: [
    'It is forgotten here whether or not the authorization server, which has 5 s to answer, takes part.',
  ],
} as const satisfies CommandTable;
