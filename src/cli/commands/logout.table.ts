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
    {
      name: 'all',
      kind: 'boolean',
      describe:
        'every login, and every client registration, secret and key kept here, but those of client metadata documents',
    },
    {
      name: 'force',
      kind: 'boolean',
      describe: 'forget it here even where its store does not open; what is left there goes once it does',
    },
  ],
  notes: [
    'It is forgotten here whether or not the authorization server, which has 5 s to answer (revocationSeconds of postern config), takes part.',
    'A login whose store does not work is kept, and said (exit 7), unless --force is given; the others are ended all the same.',
  ],
} as const satisfies CommandTable;
