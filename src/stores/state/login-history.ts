import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import type { LoginHistory } from '../ports.js';
import { entriesIn, givenOutPath, historyFolder, noteEvents, readHistoryText } from './history-file.js';
import { removeFile } from './safe-file.js';

type Named = Pick<LoginRecord, 'server' | 'account'>;

/** The file of one login, in the state folder; its name does not show for which server it is. */
export function historyPath(stateFolder: string, { server, account }: Named): string {
  const name = createHash('sha256').update(`postern history of ${server}\n${account}`).digest('hex').slice(0, 32);
  return join(historyFolder(stateFolder), `${name}.jsonl`);
}

/**
 * The history of each login, in a small private file: a line is added to its end, without a lock and without waiting for
 * the disk. What the hot path gives out stands beside it, under the login's key. Nothing depends on it: it fails silently.
 * @param options.command Which command runs. @param options.now Milliseconds since 1970.
 */
export function createLoginHistory(options: {
  readonly stateFolder: string;
  readonly command: string;
  readonly now: () => number;
}): LoginHistory {
  const { stateFolder, command, now } = options;
  return {
    read: async (login) =>
      entriesIn(
        `${readHistoryText(historyPath(stateFolder, login))}\n${readHistoryText(givenOutPath(stateFolder, login.key))}`,
      ),
    note: async (login, what, why = '') => {
      if (login.store === 'environment' || login.store === 'memory') return;
      const at = now();
      const detail = what === 'used' ? `${command} ${why}`.trim() : why.slice(0, 100);
      noteEvents(historyPath(stateFolder, login), [{ what, detail, count: 1, first: at, last: at }]);
    },
    settle: async (login) => {
      const path = givenOutPath(stateFolder, login.key);
      const given = entriesIn(readHistoryText(path));
      await remove(path);
      if (given.length > 0) noteEvents(historyPath(stateFolder, login), given);
    },
    forget: async (login) => {
      await remove(historyPath(stateFolder, login));
      await remove(givenOutPath(stateFolder, login.key));
    },
  };
}

async function remove(path: string): Promise<void> {
  try {
    await removeFile(path);
  } catch (error) {
    // A folder that is not to be written to: the history stays as it was.
    if (!(error instanceof Failure)) throw error;
  }
}
