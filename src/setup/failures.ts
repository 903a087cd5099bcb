import { exitCode, Failure } from '../core/failure.js';
import { printable, quoted, quotedPath, shellWord } from '../core/text/printable.js';
import { isWindows } from '../core/text/system.js';
import type { EditProblem } from './formats/text.js';

function refused(code: string, message: string, remedy: string): Failure {
  return new Failure({ code, exit: exitCode.usage, message, remedy });
}

/** A program that is given no URL. */
export function noUrlTaken(title: string, program: string): Failure {
  const remedy = `Leave --proxy and --key-file out: postern setup ${program}`;
  return refused('no_url_taken', `${title} is not set up by a URL here.`, remedy);
}

/** A file that was left as it is. */
function leftAlone(path: string, code: string, why: string, remedy: string): Failure {
  return refused(code, `${quotedPath(path, 300)} was left alone: ${why}.`, remedy);
}

/** A file named on the command line that cannot be written. */
export function fileUnwritable(path: string, code: string): Failure {
  const message = `${quotedPath(path, 200)} could not be written (${code}).`;
  return refused('file_unwritable', message, 'Check the path, its permissions and the space on the disk.');
}

/** There is no such folder for the shim. */
export function shimFolderMissing(folder: string): Failure {
  const message = `The folder ${quotedPath(folder, 200)} is not there, so nothing was written.`;
  const make = `${isWindows ? 'mkdir' : 'mkdir -p'} ${shellWord(printable(folder, 200))}`;
  return refused('shim_refused', message, `Make it, then try again: ${make}`);
}

/** The file for the shim is somebody else's. */
export function shimRefused(path: string, why: string): Failure {
  const message = `${quotedPath(path, 200)} was left as it is: ${why}.`;
  return refused('shim_refused', message, 'Name a file that does not exist yet.');
}

/** A configuration file of another program that is not touched. */
export function programFileUnusable(path: string, why: string): Failure {
  const remedy = 'Correct it, or add the entry by hand: without --write it is printed.';
  return leftAlone(path, 'program_file_unusable', why, remedy);
}

/** A project's file that is a link to a place outside the project. */
export function outsideProject(path: string, target: string): Failure {
  return programFileUnusable(path, `it leads out of the project, to ${quotedPath(target, 300)}`);
}

/** Somebody else has written to it since it was read. */
export function programFileChanged(path: string): Failure {
  const message = `${quotedPath(path, 300)} was just changed by another program, so nothing was written.`;
  return refused('program_file_changed', message, 'Close that program, then try again.');
}

export function programFileUnwritable(path: string, code: string): Failure {
  const message = `${quotedPath(path, 300)} could not be written (${printable(code, 40)}).`;
  const remedy = 'Check the permissions and the space on the disk, then try again.';
  return refused('program_file_unwritable', message, remedy);
}

const editProblems: Readonly<Record<EditProblem, string>> = {
  unreadable: 'it cannot be read as what it should be',
  duplicate: 'the entry, or what it belongs to, is there twice',
  shape: 'something else stands where the entry belongs',
  form: 'the entry, or its list, is written in a form that is not edited here (inline, dotted, flow style or in parts)',
};

/** A program that is to write its own file, and is missing or knows too little. */
export function toolMissing(command: string): Failure {
  const message = `${quoted(command, 40)} is not on this machine, or too old to write that entry.`;
  return refused('tool_missing', message, 'Add it by hand: without --write it is printed.');
}

/** A program's own command did not do it. */
export function toolFailed(command: string, why: string): Failure {
  const message = `${quoted(command, 40)} did not write the entry: ${quoted(why.trim(), 300)}.`;
  return refused('tool_failed', message, 'Correct its file, or add the entry by hand: without --write it is printed.');
}

/** There is an entry, in a form that only a person should change. */
export function entryNotEdited(path: string, problem: EditProblem): Failure {
  const remedy = 'Add the entry by hand: without --write it is printed.';
  return leftAlone(path, 'entry_not_edited', editProblems[problem], remedy);
}

/** Another server's entry has the name. */
export function entryTaken(path: string, name: string): Failure {
  const message = `${quotedPath(path, 300)} has an entry ${quoted(name, 80)} already, and it is for something else.`;
  return refused('entry_taken', message, 'Choose another name with --as NAME, or remove that entry first.');
}

/** The commands' words do not fit into this program's configuration. */
export function wordsUnsayable(title: string): Failure {
  return refused(
    'words_unsayable',
    `The path of node or postern, the server’s address, or the account’s name, holds characters that ${title} would replace or cannot quote.`,
    'Give the login a short name (postern login URL --name NAME), or install postern in a plainer path.',
  );
}

export function programUnknown(name: string, meant: string | undefined): Failure {
  return new Failure({
    code: 'program_unknown',
    exit: exitCode.usage,
    message: `No program ${quoted(name, 80)} is known.`,
    remedy: `${meant === undefined ? '' : `Did you mean ${quoted(meant)}? `}See: postern setup --list --all`,
    typo: meant === undefined ? undefined : { typed: name, meant },
  });
}

/** The login stands where the program's name should, and the program's name where the login should. */
export function wordsSwapped(name: string, program: string): Failure {
  const message = `No program ${quoted(name, 80)} is known: the program comes first, then the login.`;
  return refused(
    'program_unknown',
    message,
    `Did you mean: postern setup ${program} ${shellWord(printable(name, 200))}`,
  );
}

/** No file of that program for that scope. */
export function noSuchScope(title: string): Failure {
  return refused('scope_unknown', `${title} has no configuration for a single project.`, 'Leave --project out.');
}

export function nothingToWrite(title: string): Failure {
  const message = `Nothing is written for ${title}: its line is for you to paste.`;
  return refused('nothing_to_write', message, 'Leave --write out, to see it.');
}

/** No server was named, and it is not clear which one is meant. */
export function serverNotNamed(program: string, names: readonly string[]): Failure {
  const [first, ...others] = names.slice(0, 20).map((name) => printable(name, 80));
  if (first === undefined) {
    const message = 'There is no login yet, and no server was named.';
    return refused('usage', message, 'Log in first: postern login SERVER --name NAME');
  }
  const message = `There are several: ${[first, ...others].join(', ')}.`;
  return refused('usage', message, `Name one: postern setup ${program} ${first}`);
}

/** `--undo` without a `--write` before. */
export function nothingToUndo(title: string): Failure {
  const message = `Nothing that postern wrote for ${title} is known here.`;
  return refused('nothing_to_undo', message, 'See what was written: postern setup --list');
}

/** The entry is not as `--write` left it. */
export function entryChanged(path: string, backup: string): Failure {
  return refused(
    'entry_changed',
    `The entry in ${quotedPath(path, 300)} was changed after postern wrote it, so it was left as it is.`,
    `Remove it by hand; the file as it was before is ${quotedPath(backup, 300)}.`,
  );
}

/** `login --from` found a configuration that is broken. */
export function serversUnreadable(path: string, format: string): Failure {
  return refused(
    'program_file_unusable',
    `${quotedPath(path, 300)} cannot be read as ${format}, so its servers are unknown.`,
    'Correct it, or pass the server’s URL: postern login https://example.com/mcp',
  );
}

/** `--as` is no name that every program takes. */
export function entryNameUnusable(name: string): Failure {
  return refused(
    'name_unusable',
    `${quoted(name, 80)} cannot be the name of an entry: names are 1 to 63 of A-Z, a-z, 0-9, "_" and "-", and do not begin with "-".`,
    'Choose another --as.',
  );
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
