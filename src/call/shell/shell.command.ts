import type { ArgumentsOf, Command } from '../../core/command.js';
import { shellTable } from '../call.options.js';
import { runLines, runShell } from './run-shell.js';
import type { ShellWorld } from './session.js';

export type ShellArguments = ArgumentsOf<typeof shellTable>;

export const command: Command<typeof shellTable, ShellWorld> = {
  table: shellTable,
  run: (world, args) => (world.terminal.interactive ? runShell(world, args) : runLines(world, args)),
};
