import { memoryOption } from '../memory-option.js';
import type { CommandTable } from '../table.js';

export const requestTable = {
  name: 'request',
  summary: 'one raw HTTP request with the login’s token, in the manner of curl',
  positionals: [{ name: 'url', describe: 'at or below the server of a login', required: true }],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    {
      name: 'request',
      alias: 'X',
      kind: 'string',
      value: 'METHOD',
      describe: 'the HTTP method',
      fallback: 'GET, or POST with --data',
    },
    {
      name: 'header',
      alias: 'H',
      kind: 'list',
      value: 'LINE',
      describe: 'a header, “Name: value”; again for more',
    },
    {
      name: 'data',
      alias: 'd',
      kind: 'list',
      value: 'DATA',
      describe: 'the body; @FILE from a file, @- from stdin',
    },
    { name: 'include', alias: 'i', kind: 'boolean', describe: 'print status line and headers first' },
    { name: 'output', alias: 'o', kind: 'string', value: 'FILE', describe: 'write the body to a file' },
    {
      name: 'fail',
      alias: 'f',
      kind: 'boolean',
      describe: 'exit 8 and print no body when the status is 400 or more',
    },
    {
      name: 'login',
      kind: 'boolean',
      describe:
        'log in, or ask for more scope, in the browser where it is needed, unasked (at most 3 times an hour for one operation, 10 for one server)',
    },
    {
      name: 'browser',
      kind: 'boolean',
      describe: 'with --login: open the browser although CI is set, or --non-interactive was given',
      excludes: ['no-browser'],
    },
    { name: 'no-browser', kind: 'boolean', describe: 'with --login: print the address instead' },
    memoryOption,
    {
      name: 'timeout',
      kind: 'number',
      min: 1,
      max: 86_400,
      value: 'SECONDS',
      describe: 'for the whole answer; 60 s until it begins in any case',
      fallback: 'none, for streams',
    },
  ],
  examples: [
    { command: 'postern request https://example.com/mcp/health', describe: 'GET' },
    { command: 'postern request -d @body.json -H "content-type: application/json" URL', describe: 'POST' },
  ],
  notes: [
    '--login opens the browser without a terminal, too, where there is a display and CI is not set: 3 tabs an hour at most for one login until a token of it has worked, 10 in all. A login whose first token the server refuses is not repeated by itself.',
    'Redirects are shown, not followed: the token goes to the server of its login and nowhere else.',
    'Limits: those of postern config; 1 MiB for a body given with --data @FILE that is to be sent twice.',
  ],
} as const satisfies CommandTable;
