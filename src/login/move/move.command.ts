import type { Command, CommandOutput, CommandTable } from '../../core/command.js';
import { readStoreOption } from '../../core/configuration/settings.js';
import { exitCode } from '../../core/failure.js';
import { storeInWords } from '../../core/records.js';
import { counted, printable } from '../../core/text/printable.js';
import type { LoginPorts } from '../ports.js';
import { byFailure, failureJson } from '../render.js';
import { moveStore } from './move-store.js';

export const moveTable = {
  name: 'move',
  group: 'more',
  summary: 'move the secrets of every login to another store',
  positionals: [
    {
      name: 'store',
      describe:
        'keychain, file (sealed files), helper:NAME (docker-credential-NAME), or what machines share: redis:URL',
      required: true,
    },
  ],
  options: [],
  examples: [{ command: 'postern move file', describe: 'out of the keychain, into sealed files' }],
  notes: [
    'Each secret is written there and read again before it is removed where it was, so that a move that is interrupted loses nothing; run it again to end it. Out of a store that machines share it is gone for the others, too. New logins go where the last one is. What the stores are: postern help login.',
  ],
  seeAlso: ['stores'],
} as const satisfies CommandTable;

type World = CommandOutput & Pick<LoginPorts, 'stores' | 'index' | 'locks' | 'progress'>;

export const command: Command<typeof moveTable, World> = {
  table: moveTable,
  async run(world, { store: given }) {
    const { out } = world;
    const store = readStoreOption(given, 'store', 'postern move --help');
    const { moved, failures } = await moveStore(world, { to: store, signal: world.signal });
    if (world.json) {
      const failed = failures.map(({ what, failure }) => ({ what, ...failureJson(failure) }));
      await out.json({ store, moved, failures: failed });
    } else {
      if (moved + failures.length === 0)
        world.tell(`Nothing to move: no secret is kept anywhere but in ${storeInWords(store)}.`);
      else await out.line(`Moved ${counted(moved, 'secret')} to: ${storeInWords(store)}.`);
      for (const alike of byFailure(failures)) {
        const [{ failure }] = alike;
        const names = alike.map(({ what }) => printable(what)).join(', ');
        world.tell(`Not moved: ${names}. ${failure.message} ${failure.remedy}`);
      }
    }
    return failures.length === 0 ? 0 : exitCode.store;
  },
};
