import { bridgeTable } from '../bridge/bridge.command.js';
import { callTable } from '../call/call.command.js';
import { requestTable } from '../call/request.command.js';
import { clientMetadataTable } from '../client-metadata/client-metadata.options.js';
import { configTable } from '../config/config.command.js';
import type { CommandTable } from '../core/command.js';
import { credentialTable } from '../credential/credential.options.js';
import { execTable } from '../credential/exec.command.js';
import { tokenTable } from '../credential/token.command.js';
import { loginTable } from '../login/login.options.js';
import { logoutTable } from '../login/logout.command.js';
import { moveTable } from '../login/move.command.js';
import { statusTable } from '../login/status.command.js';
import { proxyTable } from '../proxy/proxy.command.js';
import { sandboxTable } from '../sandbox/sandbox.command.js';
import { setupTable } from '../setup/setup.options.js';
import type { Command } from './context.js';

/** A command that is known by its table, and loaded when it is to run. */
export interface CommandEntry {
  readonly table: CommandTable;
  readonly load: () => Promise<Command>;
  /** Lines below the help that only the command itself knows; it is loaded for them. */
  readonly moreHelp?: () => Promise<readonly string[]>;
}

/** Every command but `help` and `version`, in the order of `postern --help`. */
export const registry: readonly CommandEntry[] = [
  { table: loginTable, load: async () => (await import('../login/login.command.js')).command },
  { table: logoutTable, load: async () => (await import('../login/logout.command.js')).command },
  { table: statusTable, load: async () => (await import('../login/status.command.js')).command },
  { table: moveTable, load: async () => (await import('../login/move.command.js')).command },
  { table: tokenTable, load: async () => (await import('../credential/token.command.js')).command },
  { table: callTable, load: async () => (await import('../call/call.command.js')).command },
  { table: requestTable, load: async () => (await import('../call/request.command.js')).command },
  { table: credentialTable, load: async () => (await import('../credential/credential.command.js')).command },
  { table: bridgeTable, load: async () => (await import('../bridge/bridge.command.js')).command },
  { table: proxyTable, load: async () => (await import('../proxy/proxy.command.js')).command },
  { table: execTable, load: async () => (await import('../credential/exec.command.js')).command },
  { table: setupTable, load: async () => (await import('../setup/setup.command.js')).command },
  {
    table: clientMetadataTable,
    load: async () => (await import('../client-metadata/client-metadata.command.js')).command,
  },
  { table: configTable, load: async () => (await import('../config/config.command.js')).command },
  {
    table: sandboxTable,
    load: async () => (await import('../sandbox/sandbox.command.js')).command,
    moreHelp: async () => (await import('../sandbox/sandbox.command.js')).faultLines(),
  },
];

/** Is it a command line that another program calls? */
export function isUnattended(argv: readonly string[]): boolean {
  const name = argv.find((word) => !word.startsWith('-'));
  return registry.some(({ table }) => table.name === name && table.unattended === true);
}
