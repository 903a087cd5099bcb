import { bridgeTable } from '../bridge/bridge.options.js';
import { callTable, requestTable, shellTable } from '../call/call.options.js';
import { clientMetadataTable } from '../client-metadata/client-metadata.options.js';
import { configTable } from '../config/config.options.js';
import type { ArgumentsOf, Command, CommandTable, LooseArguments } from '../core/command.js';
import { credentialTable, execTable, tokenTable } from '../credential/credential.options.js';
import { doctorTable } from '../doctor/doctor.options.js';
import { keeperTable } from '../fleet/keeper.options.js';
import { loginTable } from '../login/login.options.js';
import {
  logoutTable,
  moveTable,
  renameTable,
  statusTable,
  switchTable,
  whoamiTable,
} from '../login/status/logins.options.js';
import { proxyTable } from '../proxy/run/proxy.options.js';
import { sandboxTable } from '../sandbox/sandbox.options.js';
import { setupTable } from '../setup/setup.options.js';
import type { Context } from './context.js';
import { uninstallTable } from './uninstall/uninstall.options.js';

/** A command that is known by its table, and loaded when it is to run. */
export interface CommandEntry {
  readonly table: CommandTable;
  readonly load: () => Promise<Command<CommandTable, Context>>;
  /** With `--help`: does it ask for what only the command itself can explain, which it is run for then? */
  readonly explains?: (args: LooseArguments) => Promise<boolean>;
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
  entry(logoutTable, () => import('../login/logout/logout.command.js')),
  entry(statusTable, () => import('../login/status/status.command.js')),
  entry(whoamiTable, () => import('../login/status/whoami.command.js')),
  entry(renameTable, () => import('../login/accounts/rename.command.js')),
  entry(switchTable, () => import('../login/accounts/switch.command.js')),
  entry(moveTable, () => import('../login/move/move.command.js')),
  {
    ...entry(callTable, () => import('../call/call.command.js')),
    explains: async (args) =>
      (await import('../call/call.command.js')).isToolHelp(args as unknown as ArgumentsOf<typeof callTable>),
  },
  entry(shellTable, () => import('../call/shell/shell.command.js')),
  entry(requestTable, () => import('../call/request.command.js')),
  entry(tokenTable, () => import('../credential/token.command.js')),
  entry(setupTable, () => import('../setup/setup.command.js')),
  entry(bridgeTable, () => import('../bridge/bridge.command.js')),
  entry(proxyTable, () => import('../proxy/proxy.command.js')),
  entry(keeperTable, () => import('../fleet/keeper.command.js')),
  entry(credentialTable, () => import('../credential/credential.command.js')),
  entry(execTable, () => import('../credential/exec.command.js')),
  entry(clientMetadataTable, () => import('../client-metadata/client-metadata.command.js')),
  entry(doctorTable, () => import('../doctor/doctor.command.js')),
  entry(configTable, () => import('../config/config.command.js')),
  entry(uninstallTable, () => import('./uninstall/uninstall.command.js')),
  entry(sandboxTable, () => import('../sandbox/sandbox.command.js')),
];
