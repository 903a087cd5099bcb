import type { CommandTable } from '../table.js';

export const helpTable = {
  name: 'help',
  summary: 'show all commands, or one of them',
  positionals: [{ name: 'command', describe: 'the command to explain', required: false }],
  options: [],
} as const satisfies CommandTable;
