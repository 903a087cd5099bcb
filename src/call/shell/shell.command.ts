import type { Command } from '../../core/command.js';
import { shellTable } from '../call.options.js';
import { runLines, runShell, type ShellWorld } from './run-shell.js';

export const command: Command<typeof shellTable, ShellWorld> = {
  table: shellTable,
  run: (world, args) => (world.terminal.interactive ? runShell(world, args) : runLines(world, args)),
};
