import type { CommandTable } from '../../core/command.js';

export const logoutTable = {
  name: 'logout',
  group: 'log-in',
  summary: 'end a login: revoke it there, forget it here',
  positionals: [
    {
      name: 'server',
      describe: 'the server’s URL, or the name of a login; none with --all and --idp',
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
      name: 'idp',
      kind: 'string',
      value: 'ISSUER',
      describe: 'the login at that company’s provider, and every login that hangs on it',
      excludes: ['all', 'account'],
    },
    { name: 'yes', alias: 'y', kind: 'boolean', describe: 'with --all: do not ask' },
    {
      name: 'force',
      kind: 'boolean',
      describe: 'forget it here even where its store does not open; what is left there goes once it does',
    },
    {
      name: 'local',
      kind: 'boolean',
      describe: 'a login that machines share: forget it on this one alone, and revoke nothing',
      excludes: ['all', 'force'],
    },
  ],
  examples: [
    { command: 'postern logout work', describe: 'revoke it at its authorization server, forget it here' },
    { command: 'postern logout --all', describe: 'says how many there are, and asks' },
  ],
  notes: [
    'A login by a company’s provider leaves the one at the provider when it ends alone: the next one needs no browser. --idp ends that one, too, and asks nothing. Tokens that were handed out work until they expire, unless their authorization server revokes them.',
    '--all says how many logins there are and which, and asks; without a terminal, and with --json, it needs --yes.',
    'It is forgotten here whether or not the authorization server, which has 5 s to answer (revocationSeconds of postern config), takes part.',
    'A login that machines share (--store redis:URL) is ended for all of them, unless --local is given.',
    'A login whose store does not work is kept, and said (exit 7), unless --force is given; the others are ended all the same.',
  ],
  seeAlso: ['stores'],
} as const satisfies CommandTable;

export const statusTable = {
  name: 'status',
  environmentToken: true,
  aliases: ['list', 'ls'],
  group: 'log-in',
  summary: 'show every login, and its state',
  positionals: [
    { name: 'server', describe: 'the name of a login, or its server’s URL; every login without', required: false },
  ],
  options: [
    { name: 'long', alias: 'l', kind: 'boolean', describe: 'all that is known of each: scopes, issuer, client, store' },
    {
      name: 'check',
      kind: 'boolean',
      describe: 'ask each server now whether it takes the login; no browser is opened',
    },
  ],
  examples: [
    { command: 'postern status', describe: 'one line for each login' },
    { command: 'postern status work -l', describe: 'all that is known of one' },
    { command: 'postern status --check', describe: 'ask every server now' },
  ],
  terms: {
    title: 'States',
    rows: [
      ['ok, 52 min', 'it can be used, for that long'],
      ['ok, …, then log in', 'the same, but nothing refreshes it after that'],
      ['refreshes by itself', 'its token has run out, and the next use gets another one'],
      ['expired, refused, ended', 'only a person can log in again; where a login was named, that is exit 3'],
      ['ok, 80 ms, 12 tools', 'with --check: the server took it; how many tools it has, where that is known'],
      ['login needed, refused', 'with --check: the server did not take it; exit 3'],
      ['unreachable', 'with --check: no answer; exit 6'],
    ],
  },
  notes: [
    '* marks the account in use where a server has several. To use another, run postern switch with its name.',
    '--check asks 8 servers at a time, each for 15 s at most, with a valid token, which is refreshed where it has to be; nobody is asked to log in. Where no ID token says whose login it is, a tool such as whoami is called, if the server marks one read-only.',
  ],
  seeAlso: ['stores'],
} as const satisfies CommandTable;

export const whoamiTable = {
  name: 'whoami',
  environmentToken: true,
  group: 'log-in',
  summary: 'tell whose login it is',
  positionals: [
    { name: 'server', describe: 'the name of a login, or its server’s URL; every login without', required: false },
  ],
  options: [{ name: 'check', kind: 'boolean', describe: 'ask the server, too' }],
  examples: [
    { command: 'postern whoami work', describe: 'as its ID token says' },
    { command: 'postern whoami work --check', describe: 'as the server says' },
  ],
  notes: [
    'An ID token (OpenID Connect Core 1.0) comes with a login where its authorization server gives one; what it says of the person is kept, and the token is not. With --check the server is asked by a tool of its own that is called like whoami, get_me or current_user, if it marks one read-only and it takes no argument: that is what the server says, and no proof of anything.',
    'With --check exit 3 means that a login needs a person, exit 6 that a server is not reachable.',
  ],
} as const satisfies CommandTable;

export const renameTable = {
  name: 'rename',
  group: 'log-in',
  summary: 'give a login another short name',
  positionals: [
    { name: 'login', describe: 'its name, or its server’s URL', required: true },
    { name: 'name', describe: 'what it is to be called', required: true },
  ],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    { name: 'force', kind: 'boolean', describe: 'take a name that another server’s login had before' },
  ],
  examples: [{ command: 'postern rename work home', describe: 'the login “work” is called “home” from now on' }],
  notes: [
    'Nothing of the login changes but its name. Programs that were set up with postern setup name the server, and go on; scripts that use the old name have to be changed.',
  ],
} as const satisfies CommandTable;

export const switchTable = {
  name: 'switch',
  group: 'log-in',
  summary: 'choose which account of a server is meant',
  positionals: [
    { name: 'server', describe: 'the server’s URL, or the name of a login for it', required: true },
    {
      name: 'account',
      describe: 'the account, or who the server says it is; without: that of the named login',
      required: false,
    },
  ],
  options: [],
  examples: [
    { command: 'postern switch work', describe: 'the login “work”, whichever account that is' },
    { command: 'postern switch https://example.com/mcp me', describe: 'that server’s URL now means the account “me”' },
  ],
  notes: [
    'It holds for every command that names the server and no --account, and for programs that were set up so. A name goes on meaning its own login. postern status marks the one that is taken with *. Where no account is called so, each is asked whose it is.',
  ],
} as const satisfies CommandTable;

export const moveTable = {
  name: 'move',
  group: 'more',
  summary: 'move the secrets of every login to another store',
  positionals: [
    {
      name: 'store',
      describe:
        'keychain, file (sealed files), helper:NAME (docker-credential-NAME), or what machines share: redis:URL',
      required: true,
    },
  ],
  options: [],
  examples: [{ command: 'postern move file', describe: 'out of the keychain, into sealed files' }],
  notes: [
    'Each secret is written there and read again before it is removed where it was, so that a move that is interrupted loses nothing; run it again to end it. Out of a store that machines share it is gone for the others, too. New logins go where the last one is. What the stores are: postern help login.',
  ],
  seeAlso: ['stores'],
} as const satisfies CommandTable;
