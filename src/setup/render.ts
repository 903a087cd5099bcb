import type { LoginRecord } from '../core/records.js';
import { mayHoldSecret } from '../core/resource.js';
import { columnsOf, cutInside, fitted, inColumns, inColumnsOrStacked, wrapped } from '../core/text/layout.js';
import { type Look, toned } from '../core/text/look.js';
import { printable, shellWord } from '../core/text/printable.js';
import { isWindows } from '../core/text/system.js';
import { keychainNote, proxyNote } from './environment.js';
import { type EntryHere, isHere, type ListedProgram, type ProgramHere } from './list-programs.js';
import type { Machine } from './machine/external-programs.js';
import type { SetupRecord } from './machine/setup-records.js';
import type { SetupPlan } from './plan-entry.js';
import { wayOf } from './programs/program.js';
import type { UndoneEntry } from './undo-entry.js';
import type { WrittenEntry } from './write-entry.js';

/** What a person has to know of an entry, each in a line: what would win over it, what it relies on. */
export function entryNotes(
  { request, wanted, conflicts }: Pick<SetupPlan, 'request' | 'wanted' | 'conflicts'>,
  about: { readonly here: ProgramHere; readonly logins: readonly LoginRecord[] },
): readonly string[] {
  const { program, scope, url } = request;
  const { machine } = wanted;
  const notes = [
    ...conflicts,
    ...(request.address === undefined
      ? [lastingNote(machine), proxyNote(machine, request), keychainNote(machine, request, about.logins)]
      : ['It holds a key: the file is for your eyes alone (mode 600), and not to be shared.']),
    program.calls === 'headers' && mayHoldSecret(url)
      ? 'The query of the server’s address seems to hold a secret; the program needs it, so it stands in its file.'
      : undefined,
    scope === 'project'
      ? 'The entry holds paths of this machine: do not share that file with others as it is.'
      : undefined,
    isHere(about.here) ? undefined : `${program.title} was not found on this machine.`,
    about.logins.some(({ server }) => server === url)
      ? undefined
      : `There is no login for this server yet: postern login ${shellWord(printable(url, 300))}`,
  ];
  return notes.filter((note) => note !== undefined).map(noteLine);
}

export function noteLine(note: string): string {
  return `Note: ${note}`;
}

/** What a person has to know of the paths in an entry; undefined when they hold. */
function lastingNote({ start }: Machine): string | undefined {
  return {
    upgrades: undefined,
    'this-version-of-node':
      'The entry starts this version of Node.js; when it is removed (nvm, fnm, …), run setup again.',
    checkout: `The entry starts ${printable(start.script ?? start.node, 200)}; when that folder is moved or removed, run setup again.`,
    cache:
      'postern was started from a package cache (npx), which is emptied now and then: install it (npm install -g postern) and run setup again.',
  }[start.lasts];
}

/** `setup` without `--write`. */
export function planJson({ request, file }: SetupPlan, entry: string, notes: readonly string[]) {
  const { program, url, name } = request;
  return { program: program.name, server: url, name, file: file.path || null, entry, notes };
}

/** What `--write` did, for a person. */
export function writtenLines({ plan, outcome, backup }: WrittenEntry, look: Look): readonly string[] {
  const { request, file } = plan;
  const { program, name } = request;
  const what = `the entry ${printable(name, 80)} of ${program.title}`;
  const path = printable(file.path, 300);
  if (outcome === 'unchanged') return fitted(`Already there: ${what} in ${path}.`, look.width);
  const server = shellWord(printable(request.server, 300));
  const isProject = request.scope === 'project';
  const next = (isProject ? program.nextInProject : undefined) ?? program.next;
  const rows = [
    ...(file.text === undefined ? [] : [['  before   ', printable(backup ?? '', 300)]]),
    ['  to undo  ', `postern setup ${program.name} ${server} --undo${isProject ? ' --project' : ''}`],
    ['  next     ', next.replaceAll('<name>', name)],
  ];
  const done = `${outcome === 'made' ? 'Added' : 'Changed'} ${what} in ${path}.`;
  return [...fitted(done, look.width), ...inColumnsOrStacked(look, rows)];
}

/** What the person may want to do about a credential that was in the entry. */
export function takenOutNotes({ tookOut, backup }: WrittenEntry): readonly string[] {
  if (!tookOut) return [];
  const remove = `${isWindows ? 'del' : 'rm'} ${shellWord(printable(backup ?? '', 300))}`;
  return [
    noteLine(
      `The entry seems to have held a credential of its own. The backup still holds it; when all works, remove that: ${remove}`,
    ),
  ];
}

export function writtenJson({ plan, outcome, backup }: WrittenEntry, notes: readonly string[]) {
  const { request, file } = plan;
  const about = { program: request.program.name, server: request.url, name: request.name, file: file.path };
  return { ...about, outcome, backup: backup ?? null, notes };
}

export function undoneLine({ path, existed }: SetupRecord, undone: UndoneEntry): string {
  const file = printable(path, 300);
  return {
    file: existed ? `${file} is as it was before, to the byte.` : `${file} was removed, as it was not there before.`,
    entry: `The entry alone was taken back in ${file}: others have changed that file since, or laid it out anew; all else stays as it is now.`,
    'nothing-left': `There is nothing of it left in ${file}.`,
  }[undone];
}

/** `setup --list`: what is here, or was set up, by line; of all others how many there are, with `--all` the names that `setup` takes. */
export function programList(all: readonly ListedProgram[], look: Look, isWhole: boolean): readonly string[] {
  const isShown = (one: ListedProgram) => isHere(one) || one.entries.length > 0;
  const shown = [...all.filter(isHere), ...all.filter((one) => !isHere(one) && isShown(one))];
  const names = all.filter((one) => !isShown(one)).map(({ program }) => program.name);
  const others = isWhole
    ? [toned(look, 'strong', 'Not found on this machine'), ...wrapped(names.join(', '), look.width, 2), '']
    : fitted(`${names.length} more are not on this machine: postern setup --list --all`, look.width);
  return [
    ...(shown.length === 0 ? [] : [...shownPrograms(shown, look), '']),
    ...(names.length === 0 ? [] : others),
    ...fitted('The entry for one: postern setup PROGRAM SERVER', look.width),
  ];
}

function shownPrograms(shown: readonly ListedProgram[], look: Look): readonly string[] {
  const left = shown.map(({ program }) => [program.name, wayOf(program)]);
  const [names, ways] = [0, 1].map((at) => Math.max(7, ...left.map((row) => columnsOf(row[at] ?? '')))) as [
    number,
    number,
  ];
  const room = Math.max(12, look.width - names - ways - 4);
  const headings = ['program', 'way', 'found'].map((title) => toned(look, 'dim', title.toUpperCase()));
  const cells = shown.map((one, at) => [...(left[at] ?? []), cutInside(room, foundOf(one))]);
  const [heading = '', ...rows] = inColumns(look, [
    headings,
    ...cells.map(([name = '', ...more]) => [toned(look, 'name', name), ...more]),
  ]);
  const lines = shown.flatMap(({ entries }, at) => [
    rows[at] ?? '',
    ...entries.flatMap((entry) => fitted(`    ${entryWords(entry)}`, look.width, 2)),
  ]);
  return [heading, ...lines];
}

function foundOf({ command, file, hasFile }: ProgramHere): string {
  const found = command ?? (hasFile ? file : undefined);
  return found === undefined ? 'not found' : printable(found, 200);
}

function entryWords({ server, path, state }: EntryHere): string {
  const [url, file] = [printable(server, 200), printable(path, 200)];
  return {
    same: `set up: ${url}`,
    ours: `set up: ${url}, changed since (see --check)`,
    missing: `no longer set up: ${url}, gone from ${file}`,
    other: `no longer set up: ${url}, its entry in ${file} is another now`,
    unreadable: `set up once: ${url}, but ${file} cannot be read now`,
  }[state];
}

export function programJson(one: ListedProgram) {
  const { program, command, file, entries } = one;
  return {
    program: program.name,
    title: program.title,
    way: wayOf(program),
    found: isHere(one),
    command: command ?? null,
    file: file ?? null,
    servers: entries.flatMap(({ server, state }) => (state === 'same' || state === 'ours' ? [server] : [])),
    entries: entries.map(({ server, path, state }) => ({ server, file: path, state })),
  };
}
