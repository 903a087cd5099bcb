import { exitCode, Failure } from '../core/failure.js';
import { printable, quoted, shellWord } from '../core/text/printable.js';
import { type EditProblem, NotEditable } from './formats/text.js';

function refused(code: string, message: string, remedy: string): Failure {
  return new Failure({ code, exit: exitCode.usage, message, remedy });
}

/** A file named on the command line that cannot be written. */
export function fileUnwritable(path: string, code: string): Failure {
  return refused(
    'file_unwritable',
    `${quoted(path, 200)} could not be written (${code}).`,
    'Check the path, its permissions and the space on the disk.',
  );
}

/** There is no such folder for the shim. */
export function shimFolderMissing(folder: string): Failure {
  return refused(
    'shim_refused',
    `The folder ${quoted(folder, 200)} is not there, so nothing was written.`,
    `Make it, then run the command again: mkdir -p ${shellWord(printable(folder, 200))}`,
  );
}

/** The file for the shim is somebody else's. */
export function shimRefused(path: string, why: string): Failure {
  return refused(
    'shim_refused',
    `${quoted(path, 200)} was left as it is: ${why}.`,
    'Name a file that does not exist yet.',
  );
}

/** A configuration file of another program that is not touched. */
export function programFileUnusable(path: string, why: string): Failure {
  return refused(
    'program_file_unusable',
    `${quoted(path, 300)} was left alone: ${why}.`,
    'Mend that, or put the entry there by hand: without --write it is printed.',
  );
}

/** Somebody else has written to it since it was read. */
export function programFileChanged(path: string): Failure {
  return refused(
    'program_file_changed',
    `${quoted(path, 300)} was changed by another program at this very moment, and left alone.`,
    'Run the command again, best with that program closed.',
  );
}

export function programFileUnwritable(path: string, code: string): Failure {
  return refused(
    'program_file_unwritable',
    `${quoted(path, 300)} could not be written (${printable(code, 40)}).`,
    'Check the permissions and the space on the disk, and run the command again.',
  );
}

/** Runs an edit of the file's text. @throws Failure `entry_not_edited` */
export function edit<T>(path: string, edited: () => T): T {
  try {
    return edited();
  } catch (error) {
    throw error instanceof NotEditable ? entryNotEdited(path, error.problem) : error;
  }
}

/** There is an entry, in a form that only a person should change. */
function entryNotEdited(path: string, problem: EditProblem): Failure {
  const reasons: Readonly<Record<EditProblem, string>> = {
    unreadable: 'it cannot be read as what it should be',
    duplicate: 'the entry, or what it belongs to, is there twice',
    shape: 'something else stands where the entry belongs',
    form: 'the entry, or its list, is written in a form that is not edited here (inline, dotted, flow style or in parts)',
  };
  return refused(
    'entry_not_edited',
    `${quoted(path, 300)} was left alone: ${reasons[problem]}.`,
    'Put the entry there by hand: without --write it is printed.',
  );
}

/** Another server's entry has the name. */
export function entryTaken(path: string, name: string): Failure {
  return refused(
    'entry_taken',
    `${quoted(path, 300)} has an entry ${quoted(name, 80)} already, and it is for something else.`,
    'Choose another name with --as NAME, or remove that entry first.',
  );
}

/** The commands' words do not fit into this program's configuration. */
export function wordsUnsayable(title: string): Failure {
  return refused(
    'words_unsayable',
    `The path of node or postern, the server’s address, or the account’s name, holds characters that ${title} would replace or cannot quote.`,
    'Give the login a short name (postern login <server> --name NAME), or install postern in a plainer path.',
  );
}

export function programUnknown(name: string, meant: string | undefined, all: readonly string[]): Failure {
  return refused(
    'program_unknown',
    `${quoted(name, 80)} is none of the programs that can be set up: ${all.join(', ')}.`,
    meant === undefined ? 'See: postern setup --list' : `Did you mean: postern setup ${meant}?`,
  );
}

/** No file of that program for that scope. */
export function noSuchScope(title: string): Failure {
  return refused('scope_unknown', `${title} has no configuration for a single project.`, 'Leave --project out.');
}

export function nothingToWrite(title: string, why: string): Failure {
  return refused(
    'nothing_to_write',
    `There is nothing to write for ${title}: ${why}.`,
    'Leave --write out, to see the command.',
  );
}

/** No server was named, and it is not clear which one is meant. */
export function serverNotNamed(program: string, names: readonly string[]): Failure {
  const known = names.slice(0, 20).map((name) => printable(name, 80));
  return refused(
    'usage',
    known.length === 0 ? 'There is no login yet, and no server was named.' : `There are several: ${known.join(', ')}.`,
    known.length === 0
      ? 'Log in first: postern login <server> --name NAME'
      : `Name one: postern setup ${program} ${known[0] ?? ''}`,
  );
}

/** `--undo` without a `--write` before. */
export function nothingToUndo(title: string): Failure {
  return refused(
    'nothing_to_undo',
    `Nothing that postern wrote for ${title} is known here.`,
    'See what was written: postern setup --list',
  );
}

/** The entry is not as `--write` left it. */
export function entryChanged(path: string, backup: string): Failure {
  return refused(
    'entry_changed',
    `The entry in ${quoted(path, 300)} was changed after postern wrote it, so it was left as it is.`,
    `Remove it by hand; the file as it was before is ${quoted(backup, 300)}.`,
  );
}

/** `login --from` found a configuration that is broken. */
export function serversUnreadable(path: string, format: 'JSON' | 'TOML'): Failure {
  return refused(
    'program_file_unusable',
    `${quoted(path, 300)} cannot be read as ${format}, so nobody knows which servers it names.`,
    'Mend it, or pass the server’s URL: postern login https://example.com/mcp',
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
  const [first] = entries;
  const list = entries.map(({ words, path }) => `${words} (${printable(path, 300)})`);
  return refused(
    'usage',
    `postern made several entries there: ${list.join('; ')}.`,
    `Name one: postern setup ${program} ${first?.words ?? ''} --undo${list.some((one) => one.includes(' --project (')) ? ' (with --project: in the folder of that file)' : ''}`,
  );
}
