import type { Command } from './command.js';
import { bridgeTable } from './commands/bridge.table.js';
import { callTable } from './commands/call.table.js';
import { clientMetadataTable } from './commands/client-metadata.table.js';
import { configTable } from './commands/config.table.js';
import { credentialTable } from './commands/credential.table.js';
import { execTable } from './commands/exec.table.js';
import { loginTable } from './commands/login.table.js';
import { logoutTable } from './commands/logout.table.js';
import { moveTable } from './commands/move.table.js';
import { proxyTable } from './commands/proxy.table.js';
import { requestTable } from './commands/request.table.js';
import { sandboxTable } from './commands/sandbox.table.js';
import { setupTable } from './commands/setup.table.js';
import { statusTable } from './commands/status.table.js';
import { tokenTable } from './commands/token.table.js';
import type { CommandTable } from './table.js';

/** A command that is known by its table, and loaded when it is to run. */
export interface CommandEntry {
  readonly table: CommandTable;
  readonly load: () => Promise<Command>;
  /** Lines below the help that only the command itself knows; it is loaded for them. */
  readonly moreHelp?: () => Promise<readonly string[]>;
}

/** Every command but `help` and `version`, in the order of `postern --help`. */
export const registry: readonly CommandEntry[] = [
  { table: loginTable, load: async () => (await import('./commands/login.js')).command },
  { table: logoutTable, load: async () => (await import('./commands/logout.js')).command },
  { table: statusTable, load: async () => (await import('./commands/status.js')).command },
  { table: moveTable, load: async () => (await import('./commands/move.js')).command },
  { table: tokenTable, load: async () => (await import('./commands/token.js')).command },
  { table: callTable, load: async () => (await import('./commands/call.js')).command },
  { table: requestTable, load: async () => (await import('./commands/request.js')).command },
  { table: credentialTable, load: async () => (await import('./commands/credential.js')).command },
  { table: bridgeTable, load: async () => (await import('./commands/bridge.js')).command },
  { table: proxyTable, load: async () => (await import('./commands/proxy.js')).command },
  { table: execTable, load: async () => (await import('./commands/exec.js')).command },
  { table: setupTable, load: async () => (await import('./commands/setup.js')).command },
  {
    table: clientMetadataTable,
    load: async () => (await import('./commands/client-metadata.js')).command,
  },
  { table: configTable, load: async () => (await import('./commands/config.js')).command },
  {
    table: sandboxTable,
    load: async () => (await import('./commands/sandbox.js')).command,
    moreHelp: async () => (await import('./commands/sandbox.js')).faultLines(),
  },
];

/** Is it a command line that another program calls? */
export function isUnattended(argv: readonly string[]): boolean {
  const name = argv.find((word) => !word.startsWith('-'));
  return registry.some(({ table }) => table.name === name && table.unattended === true);
}
