import { type Command, type CommandExit, camelCase } from '../core/command.js';
import { readStoreOption } from '../core/configuration/settings.js';
import { usageWrong } from '../core/failures.js';
import { quoted } from '../core/text/printable.js';
import { clientMetadataTable, type DocumentArguments } from './client-metadata.options.js';
import type { ClientMetadataWorld } from './ports.js';

interface Action {
  /** Its own arguments; the options of every action and of every command are not listed. */
  readonly takes: readonly (keyof DocumentArguments)[];
  run(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit>;
}

const make = () => import('./make.js');

const actions: Readonly<Record<DocumentArguments['action'], Action>> = {
  init: {
    takes: ['name', 'contact', 'redirectUri', 'auth', 'out'],
    run: async (...given) => (await make()).init(...given),
  },
  build: {
    takes: ['target', 'name', 'contact', 'redirectUri', 'out'],
    run: async (...given) => (await make()).build(...given),
  },
  check: { takes: ['target', 'offline'], run: async (...given) => (await import('./check.js')).check(...given) },
  show: { takes: ['target'], run: async (...given) => (await import('./show.js')).show(...given) },
  rotate: { takes: ['target', 'retire'], run: async (...given) => (await make()).rotate(...given) },
};

/** These two may come from the environment, which no action refuses. */
const taken: readonly string[] = ['url', 'store'];

const help = 'postern client-metadata --help';

export const command: Command<typeof clientMetadataTable, ClientMetadataWorld> = {
  table: clientMetadataTable,
  run: (world, args) => actionOf(args).run(world, args),
};

/** @throws Failure `usage_wrong` */
function actionOf(args: DocumentArguments): Action {
  const action = actions[args.action];
  for (const { name } of clientMetadataTable.options) {
    const key = camelCase(name) as keyof DocumentArguments;
    const isGiven = [args[key]].flat().some((value) => value !== undefined && value !== false);
    if (isGiven && !taken.includes(key) && !action.takes.includes(key)) {
      throw usageWrong(`client-metadata ${args.action} has no option --${name}.`, help);
    }
  }
  if (args.target !== undefined && !action.takes.includes('target')) {
    throw usageWrong(`client-metadata ${args.action} takes no ${quoted(args.target, 80)}.`, help);
  }
  if (args.store !== undefined) readStoreOption(args.store, '--store', help);
  return action;
}
