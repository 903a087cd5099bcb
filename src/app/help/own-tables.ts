import type { CommandTable } from '../../core/command.js';
import { completionTable } from '../completion/scripts.js';

export const helpTable: CommandTable = {
  name: 'help',
  summary: 'explain a command or a topic',
  positionals: [{ name: 'topic', describe: 'a command, or a topic that postern --help lists', required: false }],
  options: [],
  examples: [
    { command: 'postern help login', describe: 'a command' },
    { command: 'postern help stores', describe: 'a topic: where logins are kept' },
  ],
};

export const versionTable: CommandTable = {
  name: 'version',
  summary: 'print the version',
  positionals: [],
  options: [],
};

/** The commands that the command line answers by itself. */
export const ownTables: readonly CommandTable[] = [helpTable, completionTable, versionTable];
