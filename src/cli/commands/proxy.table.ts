import type { CommandTable } from '../table.js';

export const proxyTable = {
  name: 'proxy',
  summary: 'a local HTTP proxy that puts the token on each request, for programs that take a URL',
  positionals: [
    {
      name: 'server',
      describe: 'servers’ URLs, or names of logins; each is mounted at an address of its own',
      required: true,
      many: true,
    },
  ],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for these servers' },
    {
      name: 'port',
      kind: 'number',
      min: 1024,
      max: 65_535,
      value: 'PORT',
      describe: 'of 127.0.0.1, the only address that is listened on',
      fallback: 'any free one',
    },
    {
      name: 'socket',
      kind: 'string',
      value: 'PATH',
      describe:
        'a Unix socket instead, for its owner alone (0600), in a folder that others cannot write to; no key',
    },
    {
      name: 'no-key',
      kind: 'boolean',
      describe:
        'leave the key out of the address: then every user and program of this machine can use the login',
    },
    {
      name: 'browser',
      kind: 'boolean',
      describe: 'open the browser although CI is set, or --non-interactive was given',
      excludes: ['no-browser'],
    },
    { name: 'no-browser', kind: 'boolean', describe: 'where a login is needed, print its address instead' },
    {
      name: 'timeout',
      kind: 'number',
      min: 1,
      max: 86_400,
      default: 600,
      value: 'SECONDS',
      describe: 'for the head of an answer',
    },
    {
      name: 'silence',
      kind: 'number',
      min: 1,
      max: 86_400,
      value: 'SECONDS',
      describe: 'longest time between two pieces of an answer',
      fallback: 'none, for event streams',
    },
    {
      name: 'grace',
      kind: 'number',
      min: 0,
      max: 3_600,
      default: 10,
      value: 'SECONDS',
      describe: 'on SIGTERM, for requests that run; event streams end at once',
    },
    {
      name: 'ready-fd',
      kind: 'number',
      min: 3,
      max: 1_023,
      value: 'N',
      describe: 'write there what stdout gets, once it listens, and close it',
    },
    { name: 'until-stdin-ends', kind: 'boolean', describe: 'end when stdin does, as when its parent ends' },
  ],
  examples: [
    { command: 'postern proxy work', describe: 'prints an address that any program can be given' },
    { command: 'postern proxy work home --port 8123 --json', describe: 'two servers, for a program to read' },
  ],
  notes: [
    'Prints http://127.0.0.1:PORT/KEY/NAME on stdout, with several servers NAME and the address, a line each. The key is new at each start; who has the address can use the login. The key may also be sent as the header Postern-Key, with the path /NAME.',
    'The caller’s Authorization, Cookie, forwarding and hop-by-hop headers are taken out; so are Set-Cookie and WWW-Authenticate of the server. A 401 is answered by one refresh and one retry, where the body could be kept (1 MiB). Requests from web pages are refused, and so are methods other than GET, HEAD, POST, PUT, DELETE, OPTIONS and PATCH (405). Redirects are never followed: within the server’s address Location is rewritten, others are an error (502). So is the address for messages that a server of the older transport (HTTP+SSE) names: it leads here, or, when it is not on the server’s own origin, the stream is broken off.',
    'When a login is needed, the browser opens where there is a display, and requests wait for it (15 minutes at a terminal, else 5, or POSTERN_TIMEOUT): 3 tabs an hour at most until a token has worked, 10 in all, and not again for a login whose first token the server refuses. In CI, and with --non-interactive, requests get 503 until somebody has logged in.',
    'Limits: 256 connections, 512 requests at a time, 16 KiB and 200 lines of headers, 8192 characters of target; a caller may keep silent for 10 s in the headers, 60 s in a body, 300 s with an answer unread. Bodies and event streams have no limit. Ctrl-C ends it at once; SIGTERM lets running requests end (exit 0).',
  ],
} as const satisfies CommandTable;
