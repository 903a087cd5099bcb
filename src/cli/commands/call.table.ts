import { memoryOption } from '../memory-option.js';
import type { CommandTable } from '../table.js';

export const callTable = {
  name: 'call',
  summary: 'one protocol call: list or call tools, read resources, get prompts',
  positionals: [
    { name: 'server', describe: 'the server’s URL, or the name of a login', required: true },
    {
      name: 'method',
      describe: 'a tool’s name, or a method such as tools/list, resources/read; without: tools/list',
      required: false,
    },
    {
      name: 'arguments',
      describe: 'key=value, key:=json, @file with a JSON object, - for one on stdin',
      required: false,
      many: true,
    },
  ],
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
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
      name: 'elicitation',
      kind: 'string',
      choices: ['ask', 'defaults', 'decline'],
      value: 'HOW',
      describe: 'when the server asks something in the middle of a call',
      fallback: 'ask on a terminal, else decline',
    },
    {
      name: 'timeout',
      kind: 'number',
      min: 1,
      max: 86_400,
      default: 60,
      value: 'SECONDS',
      describe: 'how long to wait for an answer',
    },
  ],
  examples: [
    { command: 'postern call work', describe: 'list the tools' },
    { command: 'postern call work add a:=5 b:=3', describe: 'call the tool “add”' },
    { command: 'postern call work resources/read uri=file:///x', describe: 'any method' },
  ],
  notes: [
    '--login opens the browser without a terminal, too, where there is a display and CI is not set: 3 tabs an hour at most for one login until a token of it has worked, 10 in all. A login whose first token the server refuses is not repeated by itself.',
    'The result goes to stdout, progress to stderr. A tool that fails is exit 8. Limits: 32 MiB for a message, 128 MiB and 100 pages of a list for all that one call reads; postern config shows how to change them.',
  ],
} as const satisfies CommandTable;
