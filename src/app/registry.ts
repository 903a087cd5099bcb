import { bridgeTable } from '../bridge/bridge.command.js';
import { callTable } from '../call/call.command.js';
import { requestTable } from '../call/request.command.js';
import { clientMetadataTable } from '../client-metadata/client-metadata.options.js';
import { configTable } from '../config/config.command.js';
import type { Command, CommandTable } from '../core/command.js';
import { credentialTable } from '../credential/credential.options.js';
import { execTable } from '../credential/exec.command.js';
import { tokenTable } from '../credential/token.command.js';
import { loginTable } from '../login/login.command.js';
import { logoutTable } from '../login/logout.command.js';
import { moveTable } from '../login/move.command.js';
import { statusTable } from '../login/status.command.js';
import { proxyTable } from '../proxy/proxy.command.js';
import { sandboxTable } from '../sandbox/sandbox.command.js';
import { setupTable } from '../setup/setup.options.js';
import type { Context } from './context.js';

/** A command that is known by its table, and loaded when it is to run. */
export interface CommandEntry {
  readonly table: CommandTable;
  readonly load: () => Promise<Command<CommandTable, Context>>;
  /** Lines below the help that only the command itself knows; it is loaded for them. */
  readonly moreHelp?: () => Promise<readonly string[]>;
}

/** One command, whose world the context has: the compiler sees to it. */
function entry<Table extends CommandTable>(
  table: Table,
  load: () => Promise<{ readonly command: Command<Table, Context> }>,
): CommandEntry {
  return { table, load: async () => (await load()).command as unknown as Command<CommandTable, Context> };
}

/** Every command but `help` and `version`, in the order of `postern --help`. */
export const registry: readonly CommandEntry[] = [
  entry(loginTable, () => import('../login/login.command.js')),
  entry(logoutTable, () => import('../login/logout.command.js')),
  entry(statusTable, () => import('../login/status.command.js')),
  entry(moveTable, () => import('../login/move.command.js')),
  entry(tokenTable, () => import('../credential/token.command.js')),
  entry(callTable, () => import('../call/call.command.js')),
  entry(requestTable, () => import('../call/request.command.js')),
  entry(credentialTable, () => import('../credential/credential.command.js')),
  entry(bridgeTable, () => import('../bridge/bridge.command.js')),
  entry(proxyTable, () => import('../proxy/proxy.command.js')),
  entry(execTable, () => import('../credential/exec.command.js')),
  entry(setupTable, () => import('../setup/setup.command.js')),
  entry(clientMetadataTable, () => import('../client-metadata/client-metadata.command.js')),
  entry(configTable, () => import('../config/config.command.js')),
  {
    ...entry(sandboxTable, () => import('../sandbox/sandbox.command.js')),
    moreHelp: async () => (await import('../sandbox/sandbox.command.js')).faultLines(),
  },
];

/** Is it a command line that another program calls? */
export function isUnattended(argv: readonly string[]): boolean {
  const name = argv.find((word) => !word.startsWith('-'));
  return registry.some(({ table }) => table.name === name && table.unattended === true);
}
