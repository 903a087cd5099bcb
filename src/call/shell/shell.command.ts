import type { Command } from '../../core/command.js';
import { shellTable } from '../call.options.js';
import { runLines, runShell } from './run-shell.js';
import type { ShellWorld } from './session.js';

export const command: Command<typeof shellTable, ShellWorld> = {
  table: shellTable,
  run: (world, args) => (world.terminal.interactive ? runShell(world, args) : runLines(world, args)),
};
