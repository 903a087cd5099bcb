import type { Command, CommandExit } from '../core/command.js';
import { closest } from '../core/text/closest.js';
import { quoted } from '../core/text/printable.js';
import { usageMistyped, usageWrong } from '../core/usage-failures.js';
import { clientMetadataTable, type DocumentArguments } from './client-metadata.options.js';
import type { ClientMetadataWorld } from './ports.js';

type Option = keyof DocumentArguments;

interface Action {
  /** The options that it takes, beside those of every command and those that come from the environment. */
  readonly options: readonly Option[];
  /** Whether it takes a second word. */
  readonly target: boolean;
  run(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit>;
}

const actions: Readonly<Record<string, Action>> = {
  init: {
    options: ['name', 'contact', 'auth', 'out'],
    target: false,
    run: async (...given) => (await import('./make.js')).init(...given),
  },
  build: {
    options: ['name', 'contact', 'out'],
    target: true,
    run: async (...given) => (await import('./make.js')).build(...given),
  },
  check: {
    options: ['offline'],
    target: true,
    run: async (...given) => (await import('./check.js')).check(...given),
  },
  serve: {
    options: ['port', 'tlsCert', 'tlsKey', 'selfSigned'],
    target: true,
    run: async (...given) => (await import('./serve.js')).serve(...given),
  },
  show: {
    options: [],
    target: true,
    run: async (...given) => (await import('./show.js')).show(...given),
  },
  rotate: {
    options: ['retire'],
    target: true,
    run: async (...given) => (await import('./make.js')).rotate(...given),
  },
};

export const command: Command<typeof clientMetadataTable, ClientMetadataWorld> = {
  table: clientMetadataTable,
  run(world, args) {
    return actionOf(args).run(world, args);
  },
};

const help = 'postern client-metadata --help';

/** @throws Failure `usage_wrong` */
function actionOf(args: DocumentArguments): Action {
  const names = Object.keys(actions);
  const action = Object.hasOwn(actions, args.action) ? actions[args.action] : undefined;
  if (action === undefined) {
    const message = `client-metadata has no action ${quoted(args.action, 80)}; there are ${names.join(', ')}.`;
    const meant = closest(args.action, names);
    throw meant === undefined ? usageWrong(message, help) : usageMistyped(message, `client-metadata ${meant}`);
  }
  const everywhere: readonly Option[] = ['url', 'store'];
  const known = clientMetadataTable.options.map(({ name }) => name);
  for (const name of known) {
    const key = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as Option;
    const isGiven = args[key] !== undefined && args[key] !== false;
    if (isGiven && !everywhere.includes(key) && !action.options.includes(key)) {
      throw usageWrong(`client-metadata ${args.action} has no option --${name}.`, help);
    }
  }
  if (args.target !== undefined && !action.target) {
    throw usageWrong(`client-metadata ${args.action} takes no ${quoted(args.target, 80)}.`, help);
  }
  return action;
}
