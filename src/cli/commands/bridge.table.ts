import { memoryOption } from '../memory-option.js';
import { pinOption } from '../pin-option.js';
import type { CommandTable } from '../table.js';

export const bridgeTable = {
  name: 'bridge',
  summary: 'stdio here, Streamable HTTP there: for programs that start a command',
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
  ],
  examples: [
    { command: 'postern bridge work', describe: 'as the command of a server in another program' },
    {
      command: 'postern bridge https://example.com/mcp --non-interactive',
      describe: 'never opens a browser',
    },
  ],
  notes: [
    'stdin and stdout carry the protocol, one JSON-RPC message a line, and nothing else; stderr is for people.',
    'Where there is a browser it is opened when a login is missing, once for all bridges of a server, and not again within ten minutes: 3 tabs an hour at most until a token has worked, 10 in all. A login whose first token the server refuses is not repeated by itself. Else requests are answered with error -32011 and the command to run, and the login is used as soon as it is there.',
    'Limits: 32 MiB for a message (postern config shows how to change it), 64 requests at the same time, 1,000 waiting; a stream that brings twice as many bytes as a message may have, and no message, is broken off.',
  ],
} as const satisfies CommandTable;
