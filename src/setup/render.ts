import type { LoginRecord } from '../core/records.js';
import { mayHoldSecret } from '../core/resource.js';
import { printable, shellWord } from '../core/text/printable.js';
import { keychainNote, proxyNote } from './environment.js';
import type { EntryHere, ProgramHere } from './list-programs.js';
import type { SetupPlan } from './plan-entry.js';
import type { Machine, SetupRecord } from './ports.js';
import type { UndoneEntry } from './undo-entry.js';
import type { WrittenEntry } from './write-entry.js';

/** What a person has to know of an entry, each in a line: what would win over it, what it relies on. */
export function entryNotes(
  plan: SetupPlan,
  about: {
    readonly machine: Machine;
    readonly logins: readonly LoginRecord[];
    readonly hasLogin: boolean;
    readonly isHere: boolean;
  },
): readonly string[] {
  const { request, conflicts } = plan;
  const { machine, logins } = about;
  const notes = [
    ...conflicts,
    ...[
      lastingNote(machine),
      proxyNote(machine, request),
      keychainNote(machine, request, logins),
      addressNote(plan),
    ].filter((note) => note !== undefined),
    ...(request.scope === 'project'
      ? ['The entry holds paths of this machine: do not share that file with others as it is.']
      : []),
    ...(about.isHere ? [] : [`${request.program.title} was not found on this machine.`]),
    ...(about.hasLogin
      ? []
      : [`There is no login for this server yet: postern login ${shellWord(printable(request.url, 300))}`]),
  ];
  return notes.map((note) => `Note: ${note}`);
}

/** The program itself needs the address, whatever is in its query. */
function addressNote({ request, entry }: SetupPlan): string | undefined {
  const isThere = (entry.key.format === 'json' || entry.key.format === 'toml') && request.program.way === 'headers';
  return isThere && mayHoldSecret(request.url)
    ? 'The query of the server’s address seems to hold a secret; the program needs it, so it stands in its file.'
    : undefined;
}

/** What a person has to know of the paths in an entry; undefined when they hold. */
function lastingNote({ start }: Machine): string | undefined {
  return {
    upgrades: undefined,
    'this-version-of-node':
      'The entry starts this version of Node.js; when it is removed (nvm, fnm, …), run setup again.',
    checkout: `The entry starts ${printable(start.script, 200)}; when that folder is moved or removed, run setup again.`,
    cache:
      'postern was started from a package cache (npx), which is emptied now and then: install it (npm install -g postern) and run setup again.',
  }[start.lasts];
}

/** What `--write` did, for a person. */
export function writtenLines({ plan, outcome, backup }: WrittenEntry): readonly string[] {
  const { request, file } = plan;
  const what = `the entry ${printable(request.name, 80)} of ${request.program.title}`;
  const path = printable(file.path, 300);
  const server = shellWord(printable(request.server, 300));
  const isProject = request.scope === 'project';
  if (outcome === 'unchanged') return [`Already there: ${what} in ${path}.`];
  return [
    `${outcome === 'made' ? 'Added' : 'Changed'} ${what} in ${path}.`,
    ...(file.text === undefined ? [] : [`  before      ${printable(backup ?? '', 300)}`]),
    `  to undo     postern setup ${request.program.name} ${server} --undo${isProject ? ' --project' : ''}`,
    `  next        ${nextStep(request)}`,
  ];
}

function nextStep({ program, scope, name }: SetupPlan['request']): string {
  const { next, nextInProject = next } = program;
  return (scope === 'project' ? nextInProject : next).replaceAll('<name>', name);
}

/** What the person may want to do about a credential that stood in the entry. */
export function takenOutNotes({ tookOut, backup }: WrittenEntry): readonly string[] {
  return tookOut
    ? [
        `Note: The entry seems to have held a credential of its own. The backup still holds it; when all works, remove that: rm ${shellWord(printable(backup ?? '', 300))}`,
      ]
    : [];
}

export function writtenJson({ plan, outcome, backup }: WrittenEntry) {
  const { request, file, shim } = plan;
  return {
    program: request.program.name,
    server: request.url,
    name: request.name,
    file: file.path,
    outcome,
    backup: backup ?? null,
    shim: shim?.path ?? null,
  };
}

export function undoneLine({ path, existed }: SetupRecord, undone: UndoneEntry): string {
  const file = printable(path, 300);
  return {
    file: existed ? `${file} is as it was before, to the byte.` : `${file} was removed, as it was not there before.`,
    entry: `The entry alone was taken back in ${file}: others have changed that file since, or laid it out anew; all else stays as it is now.`,
    'nothing-left': `There is nothing of it left in ${file}.`,
  }[undone];
}

/** `setup --list` for a person: programs found first. */
export function programLines(all: readonly ProgramHere[]): readonly string[] {
  const isHere = ({ command, hasFile }: ProgramHere) => command !== undefined || hasFile;
  const line = (one: ProgramHere) => {
    const { program, command, file, hasFile, entries } = one;
    const found = command ?? (hasFile ? file : undefined);
    const where = found === undefined ? 'not found' : printable(found, 200);
    const set = entries.map((entry) => `\n${' '.repeat(16)}${entryWords(entry)}`).join('');
    return `${program.name.padEnd(16)}${program.title.padEnd(22)}${program.way.padEnd(12)}${where}${set}`;
  };
  return [...all.filter(isHere), ...all.filter((one) => !isHere(one))].map(line);
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

export function programJson({ program, command, file, hasFile, entries }: ProgramHere) {
  return {
    program: program.name,
    title: program.title,
    way: program.way,
    found: command !== undefined || hasFile,
    command: command ?? null,
    file: file ?? null,
    servers: entries.flatMap(({ server, state }) => (state === 'same' || state === 'ours' ? [server] : [])),
    entries: entries.map(({ server, path, state }) => ({ server, file: path, state })),
  };
}
