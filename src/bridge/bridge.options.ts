import type { CommandTable } from '../core/command.js';
import { toolOptions } from '../mcp/lending/tool-policy.js';
import { clientLoginOptions, memoryOption, pinOption } from '../stores/own-login.js';
import { headerOptions } from '../tokens/server-headers.js';

export const bridgeTable = {
  name: 'bridge',
  environmentToken: true,
  noJson: true,
  group: 'programs',
  summary: 'stdio here, HTTP there: for programs that start a command',
  positionals: [{ name: 'server', describe: 'the server’s URL, or the name of a login', required: true }],
  options: [
    memoryOption,
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    pinOption,
    {
      name: 'login-wait',
      kind: 'number',
      min: 1,
      max: 3_600,
      default: 120,
      value: 'SECONDS',
      describe: 'how long a request waits for a person who is to log in',
    },
    {
      name: 'answer-timeout',
      kind: 'number',
      min: 1,
      max: 86_400,
      default: 900,
      value: 'SECONDS',
      describe: 'how long the server may take to begin an answer',
    },
    ...toolOptions,
    ...clientLoginOptions,
    ...headerOptions,
  ],
  examples: [
    { command: 'postern bridge work', describe: 'as the command of a server in another program' },
    { command: 'postern bridge work --read-only', describe: 'lends an agent the tools that change nothing' },
    { command: 'postern bridge https://example.com/mcp --non-interactive', describe: 'never opens a browser' },
    {
      command: 'postern bridge https://example.com/mcp --client-credentials',
      describe: 'for an agent in CI, as the client of POSTERN_CLIENT_ID',
    },
  ],
  notes: ['stdin and stdout carry the protocol, one JSON-RPC message a line, and nothing else; stderr is for people.'],
  seeAlso: ['hosts'],
} as const satisfies CommandTable;
