import { pinOption } from '../pin-option.js';
import type { CommandTable } from '../table.js';

export const execTable = {
  name: 'exec',
  summary: 'run a command with tokens in its environment',
  positionals: [
    {
      name: 'server',
      describe: 'a server’s URL, or the name of a login; its token goes into POSTERN_ACCESS_TOKEN',
      required: false,
    },
  ],
  rest: { name: 'command', describe: 'the command and its arguments, started as they are, without a shell' },
  options: [
    {
      name: 'var',
      kind: 'list',
      value: 'NAME=SERVER[,header|,value]',
      describe:
        'the variable for that server’s token, with “,header” as Authorization: Bearer …, with “,value” as Bearer …; NAME alone is for the server above; again for more',
    },
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for the server' },
    pinOption,
    {
      name: 'min-ttl',
      kind: 'number',
      min: 0,
      max: 86_400,
      default: 60,
      value: 'SECONDS',
      describe: 'start with no token that has less life left than this, refreshed or not',
    },
  ],
  examples: [
    { command: 'postern exec work -- ./server', describe: 'a STDIO server that takes POSTERN_ACCESS_TOKEN' },
    {
      command: 'postern exec --var A_TOKEN=work --var B_AUTH=home,header -- make test',
      describe: 'two servers, other names',
    },
  ],
  notes: [
    'The token goes into the environment of the command and nowhere else; it is not renewed there. Whatever the command starts gets it, too. Names that programs act on (PATH, LD_PRELOAD, NODE_OPTIONS, …) are refused; NODE_AUTH_TOKEN and cargo’s CARGO_…_TOKEN (with “,value”) are not.',
    'Signals are passed on; the exit code is the command’s, 128 + n when signal n ended it. A failure before the command starts exits with a code of postern’s.',
  ],
} as const satisfies CommandTable;
