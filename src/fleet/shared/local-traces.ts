import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder, readIfThere } from '../../stores/state/private-file.js';
import { removeFile, replacePrivateFile } from '../../stores/state/safe-file.js';
import { stateUnwritable } from '../../stores/state-failures.js';
import type { SettledNotes, SpentTokens } from './turn.js';

const longestList = 65_536;

/** Notes behind which nothing is, in a file: a line for each, and another with a dash where that has changed. */
export function settledNotesIn(folder: string): SettledNotes {
  const path = join(folder, 'settled-notes');
  const add = (line: string) => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > longestList) rmSync(path); // only the last few are ever asked for
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  };
  return {
    settle: (nonce) => {
      try {
        add(nonce);
      } catch {
        // then the note stays, and the next login takes it away
      }
    },
    unsettle: (nonce) => {
      try {
        add(`-${nonce}`);
      } catch (cause) {
        throw stateUnwritable(path, cause); // and nothing is sent
      }
    },
    isSettled: (nonce) => {
      try {
        const lines = readFileSync(path, 'latin1').split('\n');
        return lines.lastIndexOf(nonce) > lines.lastIndexOf(`-${nonce}`);
      } catch {
        return false;
      }
    },
  };
}

/** Marks of one login that are kept here. */
const maxMarks = 64;

/** Which refresh tokens are spent, in a file for each login: an engine that goes back in time is found out. */
export function spentTokensIn(folder: string): SpentTokens {
  const pathOf = (login: string) => join(folder, `${login}.spent`);
  const marksOf = (login: string): readonly string[] => {
    try {
      const kept = readIfThere(pathOf(login), longestList);
      return kept === undefined ? [] : Buffer.from(kept.bytes).toString('latin1').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  };
  return {
    learn: async (login, marks) => {
      const known = marksOf(login);
      const news = marks.filter((mark) => !known.includes(mark));
      if (news.length === 0) return;
      try {
        await ensurePrivateFolder(folder);
        await replacePrivateFile(pathOf(login), `${[...news, ...known].slice(0, maxMarks).join('\n')}\n`);
      } catch {
        // on a full disk the engine is believed
      }
    },
    has: (login, mark) => marksOf(login).includes(mark),
    forget: async (login) => void (await removeFile(pathOf(login)).catch(() => false)),
  };
}
