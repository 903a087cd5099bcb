import * as entries from '../../src/setup/formats/entry.js';
import { type EditProblem, NotEditable } from '../../src/setup/formats/text.js';
import { runCommands } from '../../src/setup/machine/run-commands.js';
import { temporaryFolder } from '../support/temporary.js';
import { workshop } from './workshop.js';

type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: EditProblem };

/** The text after an edit, or why it is left alone. */
async function edited(edit: (run: entries.RunCommands) => Promise<string>): Promise<Edited> {
  const run: entries.RunCommands = async (...call) => {
    await using home = await temporaryFolder();
    return await runCommands(workshop(home.path).programs, new AbortController().signal)(...call);
  };
  try {
    return { ok: true, text: await edit(run) };
  } catch (error) {
    if (error instanceof NotEditable) return { ok: false, problem: error.problem };
    throw error;
  }
}

export function putEntry(text: string, entry: entries.Entry): Promise<Edited> {
  return edited((run) => entries.putEntry(text, entry, run));
}

export function restoreEntry(text: string, key: entries.EntryKey, backup: string): Promise<Edited> {
  return edited((run) => entries.restoreEntry(text, key, backup, run));
}
