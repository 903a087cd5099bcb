import type { Command, CommandOutput } from '../../core/command.js';
import { readStoreOption } from '../../core/configuration/settings.js';
import { exitCode } from '../../core/failure.js';
import { storeInWords } from '../../core/records.js';
import { counted, printable } from '../../core/text/printable.js';
import type { LoginPorts } from '../ports.js';
import { moveTable } from '../status/logins.options.js';
import { byFailure, failureJson } from '../status/render.js';
import { moveStore } from './move-store.js';

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
