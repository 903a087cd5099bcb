import type { CommandTable } from '../table.js';

export const tokenTable = {
  name: 'token',
  summary: 'print a valid access token and nothing else, refreshed when needed',
  positionals: [{ name: 'server', describe: 'the server’s URL, or the name of a login', required: true }],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    { name: 'header', kind: 'boolean', describe: 'print it as a header: Authorization: Bearer …' },
    {
      name: 'min-ttl',
      kind: 'number',
      min: 0,
      max: 86_400,
      default: 60,
      value: 'SECONDS',
      describe: 'refresh a token with less life left than this',
    },
    {
      name: 'refresh',
      kind: 'boolean',
      describe: 'refresh it first, though it may live: for a token that a server refuses',
    },
  ],
  examples: [
    {
      command: 'curl -H "$(postern token work --header)" https://example.com/mcp',
      describe: 'use it elsewhere',
    },
    { command: 'postern token work --refresh', describe: 'another one, where the server refuses that one' },
  ],
  notes: [
    'With --json: access_token, token_type, expires_at (seconds since 1970, or null) and scope. Limits: 15 s for a refresh, 30 s to wait for another process’s, three with --refresh within a minute, 5 s for the keychain.',
  ],
} as const satisfies CommandTable;
