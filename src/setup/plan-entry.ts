import { ignoreFailure } from '../core/failure.js';
import { addressSecret } from '../tokens/failures.js';
import type { LoginWords } from '../tokens/find-login.js';
import { entryNotEdited, entryTaken, noSuchScope, wordsUnsayable } from './failures.js';
import { type Entry, entryName, meaningOf, openEntry, putEntry, type RunCommands } from './formats/entry.js';
import { ifEditable, NotEditable } from './formats/text.js';
import type { MachineFiles } from './machine/external-programs.js';
import type { ProgramFile } from './machine/program-files.js';
import type { KeptRecord, SetupRecord, SetupRecords } from './machine/setup-records.js';
import { callIn, namesServer } from './programs/entries.js';
import {
  callWords,
  conflictsOf,
  type EntryRequest,
  entryByUrl,
  entryOf,
  filesOf,
  type Program,
  pathOf,
  type Scope,
} from './programs/program.js';

/** What a person wants set up. */
export interface SetupRequest {
  readonly program: Program;
  readonly scope: Scope;
  /** The very file; not given: the one where the program looks now. */
  readonly path?: string;
  /** The server's URL, and what a person calls it: the login's name, if it has one. */
  readonly url: string;
  readonly server: string;
  /** What the entry may call the login, the best first. */
  readonly words: readonly LoginWords[];
  /** What the program is to call it. */
  readonly name: string;
  /** Options beside those that name the login. */
  readonly options: readonly string[];
  /** The address of a proxy of ours, with a key in it, that the entry holds in place of a call. */
  readonly address?: string;
}

/** An entry, and the file that it belongs into: an empty path where its program has none. */
export interface SetupPlan {
  readonly request: SetupRequest;
  /** What the entry was made of. */
  readonly wanted: EntryRequest;
  readonly file: ProgramFile;
  readonly entry: Entry;
  /** What else would win over it, each in a sentence. */
  readonly conflicts: readonly string[];
}

/**
 * Reads the program's configuration, and makes the entry for it. Nothing is changed.
 * @throws Failure `scope_unknown`, `words_unsayable`, `address_secret`, `program_file_unusable`
 */
export async function planEntry(world: MachineFiles, request: SetupRequest): Promise<SetupPlan> {
  const { program, scope, url, name, address } = request;
  const isPasted = program.format === 'pasted';
  const path = request.path ?? configurationFile(world, program, scope) ?? (isPasted ? '' : undefined);
  if (path === undefined) throw noSuchScope(program.title);
  const project = scope === 'project' && request.path === undefined ? world.machine.workingFolder : undefined;
  const file = isPasted ? { path, text: undefined } : await world.files.read(path, project);
  const context = { machine: world.machine, text: file.text ?? '', switches: await readSwitches(world, program) };
  // The first of the words for the login that the program can hold.
  for (const { server, options } of request.words) {
    const wanted = { ...context, url, name, server, options: [...options, ...request.options] };
    const made =
      address === undefined
        ? entryOf(program, wanted, callWords(program.calls, wanted))
        : entryByUrl(program, wanted, address);
    if (made === undefined) continue;
    const entry = scope === 'project' ? withoutEnvironment(made) : made;
    return { request, wanted, file, entry, conflicts: conflictsOf(program, wanted) };
  }
  throw request.words.length === 0 ? addressSecret(url) : wordsUnsayable(program.title);
}

/** Others may change a project's file: what it sets for postern in members of its own is taken out. */
function withoutEnvironment({ key, holds: { members, without } }: Entry): Entry {
  return { key, holds: { members, without: [...without, 'env', 'envs', 'environment', 'envFile'] } };
}

/** What else of the program's can switch an entry off; a file that cannot be read says nothing. */
async function readSwitches({ machine, files }: MachineFiles, program: Program): Promise<readonly string[]> {
  const reading = (program.switches ?? []).map((path) => files.read(pathOf(machine, path)).catch(ignoreFailure));
  return (await Promise.all(reading)).flatMap((file) => file?.text ?? []);
}

/** The file that a program's entry belongs into; undefined where there is none for that scope. */
export function configurationFile({ machine, files }: MachineFiles, program: Program, scope: Scope) {
  const { installed } = program;
  if (scope === 'user' && installed !== undefined && files.exists(pathOf(machine, installed.sign))) {
    return pathOf(machine, installed.file);
  }
  const all = filesOf(program, machine, scope);
  return all.find((path) => files.exists(path)) ?? all[0];
}

/**
 * The file's text with the entry in it.
 * @throws Failure `entry_not_edited`, `entry_taken`, or what `run` throws
 */
export function plannedText(plan: SetupPlan, run: RunCommands): Promise<string> {
  const { request, wanted, file, entry } = plan;
  const { path, text = '' } = file;
  return edit(path, async () => {
    const { raw, value } = openEntry(text, entry.key);
    const call = callIn(entry.key, value, wanted.machine.platform);
    const isOurs = call !== undefined && [request.server, request.url].includes(call.server);
    const isTaken = raw !== undefined && !isOurs && !namesServer(value, request.url);
    if (isTaken && entryName(entry.key) !== undefined) throw entryTaken(path, request.name);
    return await putEntry(text, entry, run);
  });
}

/** Runs an edit of the file at `path`. @throws Failure `entry_not_edited` */
export async function edit<T>(path: string, edited: () => T | Promise<T>): Promise<T> {
  try {
    return await edited();
  } catch (error) {
    throw error instanceof NotEditable ? entryNotEdited(path, error.problem) : error;
  }
}

/**
 * What is left of an entry that was written. `same`: it is there, perhaps laid out anew by another program. `ours`: it calls
 * this program, otherwise than it was written. `other`: it is somebody's work.
 */
export type EntryState = 'same' | 'ours' | 'other' | 'missing' | 'unreadable';

export function entryState({ key, holds }: SetupRecord, text: string, platform: string): EntryState {
  const opened = ifEditable(() => openEntry(text, key));
  if (opened === undefined) return 'unreadable';
  if (opened.raw === undefined) return 'missing';
  const names = Object.keys(holds);
  if (meaningOf(opened.value, names) === meaningOf(holds, names)) return 'same';
  return callIn(key, opened.value, platform) === undefined ? 'other' : 'ours';
}

/** The record of the planned entry, by the file and its place there. */
export async function recordOf(
  records: Pick<SetupRecords, 'all'>,
  { file, entry }: SetupPlan,
): Promise<KeptRecord | undefined> {
  const key = JSON.stringify(entry.key);
  return (await records.all()).find(({ record }) => record.path === file.path && JSON.stringify(record.key) === key);
}
