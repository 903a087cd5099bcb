import { exitCode } from '../../errors/failure.js';
import { argumentRefused } from '../../errors/usage.js';
import { moveStore } from '../../flows/move-store.js';
import { printable } from '../../primitives/printable.js';
import { isStoreChoice, whyNoStore } from '../../primitives/store-kind.js';
import type { Command } from '../command.js';
import { byFailure } from '../words/by-failure.js';
import { storeInWords } from '../words/login-words.js';
import { moveTable } from './move.table.js';

export const command: Command<typeof moveTable> = {
  table: moveTable,
  async run(context, { store }) {
    const { ports, out } = context;
    if (!isStoreChoice(store)) {
      throw argumentRefused('store', whyNoStore(store));
    }
    const { moved, failures } = await moveStore(ports, { to: store, signal: context.signal });
    if (context.options.json) {
      const failed = failures.map(({ what, failure: { code, message, remedy } }) => ({
        what,
        code,
        message,
        remedy,
      }));
      await out.json({ store, moved, failures: failed });
    } else {
      const what = moved === 1 ? '1 secret' : `${moved} secrets`;
      if (moved + failures.length === 0) context.tell('There is nothing to move.');
      else await out.line(`Moved ${what} to: ${storeInWords(store)}.`);
      for (const alike of byFailure(failures)) {
        const [{ failure }] = alike;
        const names = alike.map(({ what }) => printable(what)).join(', ');
        context.tell(`Not moved: ${names}. ${failure.message} ${failure.remedy}`);
      }
    }
    return failures.length === 0 ? 0 : exitCode.store;
  },
};
