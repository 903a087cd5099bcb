import { exitCode, Failure } from '../core/failure.js';
import { printable, quoted, shellWord } from '../core/text/printable.js';
import { type EditProblem, NotEditable } from './formats/text.js';

export function refused(code: string, message: string, remedy: string): Failure {
  return new Failure({ code, exit: exitCode.usage, message, remedy });
}

/** A file that was left as it is. */
function leftAlone(path: string, code: string, why: string, remedy: string): Failure {
  return refused(code, `${quoted(path, 300)} was left alone: ${why}.`, remedy);
}

/** A file named on the command line that cannot be written. */
export function fileUnwritable(path: string, code: string): Failure {
  const message = `${quoted(path, 200)} could not be written (${code}).`;
  return refused('file_unwritable', message, 'Check the path, its permissions and the space on the disk.');
}

/** There is no such folder for the shim. */
export function shimFolderMissing(folder: string): Failure {
  const message = `The folder ${quoted(folder, 200)} is not there, so nothing was written.`;
  const make = `mkdir -p ${shellWord(printable(folder, 200))}`;
  return refused('shim_refused', message, `Make it, then run the command again: ${make}`);
}

/** The file for the shim is somebody else's. */
export function shimRefused(path: string, why: string): Failure {
  const message = `${quoted(path, 200)} was left as it is: ${why}.`;
  return refused('shim_refused', message, 'Name a file that does not exist yet.');
}

/** A configuration file of another program that is not touched. */
export function programFileUnusable(path: string, why: string): Failure {
  const remedy = 'Mend that, or put the entry there by hand: without --write it is printed.';
  return leftAlone(path, 'program_file_unusable', why, remedy);
}

/** Somebody else has written to it since it was read. */
export function programFileChanged(path: string): Failure {
  const message = `${quoted(path, 300)} was changed by another program at this very moment, and left alone.`;
  return refused('program_file_changed', message, 'Run the command again, best with that program closed.');
}

export function programFileUnwritable(path: string, code: string): Failure {
  const message = `${quoted(path, 300)} could not be written (${printable(code, 40)}).`;
  const remedy = 'Check the permissions and the space on the disk, and run the command again.';
  return refused('program_file_unwritable', message, remedy);
}

const editProblems: Readonly<Record<EditProblem, string>> = {
  unreadable: 'it cannot be read as what it should be',
  duplicate: 'the entry, or what it belongs to, is there twice',
  shape: 'something else stands where the entry belongs',
  form: 'the entry, or its list, is written in a form that is not edited here (inline, dotted, flow style or in parts)',
};

/** Runs an edit of a file's text. @throws Failure `entry_not_edited` */
export function edit<T>(path: string, edited: () => T): T {
  try {
    return edited();
  } catch (error) {
    if (!(error instanceof NotEditable)) throw error;
    const remedy = 'Put the entry there by hand: without --write it is printed.';
    throw leftAlone(path, 'entry_not_edited', editProblems[error.problem], remedy);
  }
}

/** The commands' words do not fit into this program's configuration. */
export function wordsUnsayable(title: string): Failure {
  return refused(
    'words_unsayable',
    `The path of node or postern, the server’s address, or the account’s name, holds characters that ${title} would replace or cannot quote.`,
    'Give the login a short name (postern login <server> --name NAME), or install postern in a plainer path.',
  );
}

/** No server was named, and it is not clear which one is meant. */
export function serverNotNamed(program: string, names: readonly string[]): Failure {
  const [first, ...others] = names.slice(0, 20).map((name) => printable(name, 80));
  if (first === undefined) {
    const message = 'There is no login yet, and no server was named.';
    return refused('usage', message, 'Log in first: postern login <server> --name NAME');
  }
  const message = `There are several: ${[first, ...others].join(', ')}.`;
  return refused('usage', message, `Name one: postern setup ${program} ${first}`);
}

/** `--undo` where several entries were made. `words` tell each from the others; one of a folder's is named from there. */
export function severalToUndo(
  program: string,
  entries: readonly { readonly words: string; readonly path: string }[],
): Failure {
  const list = entries.map(({ words, path }) => `${words} (${printable(path, 300)})`);
  const where = list.some((one) => one.includes(' --project (')) ? ' (with --project: in the folder of that file)' : '';
  const remedy = `Name one: postern setup ${program} ${entries[0]?.words ?? ''} --undo${where}`;
  return refused('usage', `postern made several entries there: ${list.join('; ')}.`, remedy);
}
