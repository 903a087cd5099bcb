import type { CommandTable } from '../../core/command.js';
import { toolNote, toolOptions } from '../../mcp/lending/tool-policy.js';
import { memoryOption } from '../../stores/memory-store.js';
import { clientLoginOptions } from '../../stores/own-login.js';
import { headerNote, headerOptions } from '../../tokens/server-headers/header-options.js';

export const proxyTable = {
  name: 'proxy',
  environmentToken: true,
  group: 'programs',
  summary: 'a local URL whose requests get the token',
  positionals: [
    {
      name: 'server',
      describe: 'servers’ URLs, or names of logins; each is mounted at an address of its own',
      required: true,
      many: true,
    },
  ],
  options: [
    memoryOption,
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
      brief: 'a Unix socket instead, for its owner alone; no key',
      describe: 'a Unix socket instead, for its owner alone (0600), in a folder that others cannot write to; no key',
      excludes: ['port'],
    },
    {
      name: 'key-file',
      kind: 'string',
      value: 'FILE',
      describe: 'keep the key in this file, which is made for you alone if it is missing',
      excludes: ['socket', 'no-key'],
    },
    {
      name: 'print-service',
      kind: 'string',
      choices: ['systemd', 'launchd', 'windows'],
      value: 'MANAGER',
      describe: 'start nothing, print the unit for this in the background; with --port and --key-file',
      excludes: [
        ...['store', 'client-credentials', 'header-file', 'header-env'],
        ...['browser', 'no-browser', 'ready-fd', 'until-stdin-ends'],
      ],
    },
    {
      name: 'no-key',
      kind: 'boolean',
      brief: 'no key in the address: open to this whole machine',
      describe: 'leave the key out of the address: then every user and program of this machine can use the login',
    },
    {
      name: 'browser',
      kind: 'boolean',
      brief: 'open the browser although CI is set',
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
    ...toolOptions,
    { name: 'until-stdin-ends', kind: 'boolean', describe: 'end when stdin does, as when its parent ends' },
    ...clientLoginOptions,
    ...headerOptions,
  ],
  examples: [
    { command: 'postern proxy work', describe: 'prints an address that any program can be given' },
    { command: 'postern proxy work home --port 8123 --json', describe: 'two servers, for a program to read' },
    { command: 'postern proxy work --port 8123 --key-file proxy.key', describe: 'at an address that stays' },
  ],
  notes: [
    'Prints http://127.0.0.1:PORT/KEY/NAME on stdout, with several servers NAME and the address, a line each. The key is new at each start, unless --key-file keeps it; who has the address can use the login. The key may also be sent as the header Postern-Key, with the path /NAME.',
  ],
  more: [
    'When a login is needed, the browser opens where there is a display, and requests wait for it (15 minutes at a terminal, else 5, or POSTERN_TIMEOUT): 3 tabs an hour at most until a token has worked, 10 in all, and not again for a login whose first token the server refuses. In CI, and with --non-interactive, requests get 503 until somebody has logged in.',
    'Limits: 256 connections, 512 requests at a time, 16 KiB and 200 lines of headers, 8192 characters of target; a caller may keep silent for 10 s in the headers, 60 s in a body, 300 s with an answer unread. Bodies and event streams have no limit. Ctrl-C ends it at once; SIGTERM lets running requests end (exit 0).',
    'The caller’s Authorization, Cookie, forwarding and hop-by-hop headers are taken out; so are Set-Cookie and WWW-Authenticate of the server. Its cookies are kept in memory for the session that they came in, and go back to it alone. A 401 is answered by one refresh and one retry, where the body could be kept (1 MiB). Requests from web pages are refused, and so are methods other than GET, HEAD, POST, PUT, DELETE, OPTIONS and PATCH (405). Redirects are never followed: within the server’s address Location is rewritten, others are an error (502). The older transport (HTTP+SSE of 2024-11-05) does not pass: a stream that names an address for messages is broken off; for such a server there is postern bridge.',
    `${headerNote} They go in the place of headers of the caller’s with these names.`,
    `${toolNote} Then nothing passes but the server’s own address, JSON messages of 8 MiB at most (256 MiB of all together), and answers that can be read.`,
    'With --print-service the unit starts this very command line, by absolute paths and without the key. It asks nobody to log in: without a login, requests get 503 with the command to type. Where the unit goes, and how to remove it: postern help proxies.',
  ],
  seeAlso: ['hosts', 'proxies', 'security'],
} as const satisfies CommandTable;
