import * as entries from '../../src/setup/formats/entry.js';
import { type EditProblem, NotEditable } from '../../src/setup/formats/text.js';

type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: EditProblem };

/** The text after an edit, or why it is left alone. */
function edited(edit: () => string): Edited {
  try {
    return { ok: true, text: edit() };
  } catch (error) {
    if (error instanceof NotEditable) return { ok: false, problem: error.problem };
    throw error;
  }
}

export function putEntry(...args: Parameters<typeof entries.putEntry>): Edited {
  return edited(() => entries.putEntry(...args));
}

export function restoreEntry(...args: Parameters<typeof entries.restoreEntry>): Edited {
  return edited(() => entries.restoreEntry(...args));
}
