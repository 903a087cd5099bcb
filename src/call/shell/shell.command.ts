import type { ArgumentsOf, Command, CommandTable } from '../../core/command.js';
import { memoryOption } from '../../stores/memory-store.js';
import { clientLoginOptions } from '../../stores/own-login.js';
import { headerOptions } from '../../tokens/server-headers/header-options.js';
import { programRest } from '../find-server.js';
import { conversationOptions, loginOptions, resultOptions } from '../login-options.js';
import { runLines, runShell } from './run-shell.js';
import type { ShellWorld } from './session.js';

export const shellTable = {
  name: 'shell',
  environmentToken: true,
  noJson: true,
  group: 'use',
  seeAlso: ['call'],
  summary: 'a session with a server, kept open, to try it by hand',
  positionals: [{ name: 'server', describe: 'the server’s URL, or the name of a login', required: false }],
  rest: programRest,
  options: [
    { name: 'account', kind: 'string', value: 'NAME', describe: 'which of several logins for this server' },
    ...loginOptions,
    memoryOption,
    ...clientLoginOptions,
    ...headerOptions,
    ...resultOptions,
    ...conversationOptions,
  ],
  examples: [
    { command: 'postern shell work', describe: 'a prompt; “help” there says what to type' },
    { command: 'postern shell work < commands', describe: 'one command a line; exit code of the last that failed' },
    { command: 'postern shell work --save pictures', describe: 'save the images that tools bring' },
    { command: 'postern shell -- npx -y a-server', describe: 'a stdio server' },
  ],
  notes: [
    'A line is what postern call takes after the server; --output FORM and --save DIR may stand in it, too, and then count for that line. TAB completes, Ctrl-C cancels what runs, Ctrl-D ends. The last 500 lines are kept, those that seem to hold a secret left out.',
  ],
} as const satisfies CommandTable;

export type ShellArguments = ArgumentsOf<typeof shellTable>;

export const command: Command<typeof shellTable, ShellWorld> = {
  table: shellTable,
  run: (world, args) => (world.terminal.interactive ? runShell(world, args) : runLines(world, args)),
};
