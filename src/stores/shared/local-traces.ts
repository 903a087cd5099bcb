import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder, readIfThere } from '../state/private-file.js';
import { removeFile, replacePrivateFile } from '../state/safe-file.js';
import { stateUnwritable } from '../state-failures.js';
import type { SettledNotes, SpentTokens } from './turn.js';

/** A credential of 64 KiB, sealed, and more. */
const maxBytes = 262_144;

/** How long what was read last is used while the engine is away, in milliseconds. */
const memoryMs = 15 * 60_000;

/** How often the time of what is kept is brought up to date, in milliseconds. */
const freshMs = 60_000;

/**
 * The sealed halves that this machine has read last, as the engine has them, in files: a token that lives is used while
 * the engine is away. They open with the readers' key alone.
 */
export class OutageMemory {
  readonly #folder: string;

  /** @param folder In the state folder; made at the first use. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param name The hash of a login. Fails silently: on a full disk a token is handed out, too. */
  async keep(name: string, sealed: Uint8Array, now: number): Promise<void> {
    try {
      const kept = readIfThere(this.#path(name), maxBytes);
      const isSame = kept !== undefined && Buffer.compare(Buffer.from(textOf(sealed)), kept.bytes) === 0;
      if (isSame && Math.abs(now - kept.modifiedAt) < freshMs) return;
      await ensurePrivateFolder(this.#folder);
      await replacePrivateFile(this.#path(name), textOf(sealed));
    } catch {
      // the engine has it
    }
  }

  /** What was read in the last minutes. */
  find(name: string, now: number): Uint8Array | undefined {
    try {
      const kept = readIfThere(this.#path(name), maxBytes);
      if (kept === undefined || Math.abs(now - kept.modifiedAt) > memoryMs) return undefined;
      return Buffer.from(Buffer.from(kept.bytes).toString('latin1').trim(), 'base64url');
    } catch {
      return undefined;
    }
  }

  async forget(name: string): Promise<void> {
    const path = this.#path(name);
    for (const one of [path, path.replace(/read$/, 'spent')]) await removeFile(one).catch(() => false);
  }

  #path(name: string): string {
    if (!/^[0-9a-f]{64}$/.test(name)) throw new TypeError('this is no name of a login');
    return join(this.#folder, `${name}.read`);
  }
}

function textOf(sealed: Uint8Array): string {
  return `${Buffer.from(sealed).toString('base64url')}\n`;
}

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
  };
}
