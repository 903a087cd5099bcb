import { Failure } from '../core/failure.js';
import { type EntryKey, entryValue, meaningOf, openEntry, rawEntry, wholeKey } from './formats/entry.js';
import { ifEditable } from './formats/text.js';
import { configurationFile } from './plan-entry.js';
import type { ExternalPrograms, SetupRecord } from './ports.js';
import { callIn, callOf, goCommands, goWords } from './programs/entry-call.js';
import type { Program, Scope } from './programs/program.js';
import { programs } from './programs/programs.js';

/** A program, and what there is of it on this machine. */
export interface ProgramHere {
  readonly program: Program;
  /** Its command on the PATH. */
  readonly command: string | undefined;
  /** Its configuration, and whether it exists. */
  readonly file: string | undefined;
  readonly hasFile: boolean;
  /** What `--write` made there. */
  readonly entries: readonly EntryHere[];
}

/** An entry that was written, and what is left of it. */
export interface EntryHere {
  readonly server: string;
  readonly path: string;
  readonly state: EntryState;
}

/** Is there a command of the program's, or its configuration? */
export function isHere(
  world: Pick<ExternalPrograms, 'machine' | 'files' | 'find'>,
  program: Program,
  scope: Scope,
): boolean {
  const file = configurationFile(world, program, scope);
  const hasFile = file !== undefined && world.files.exists(file);
  return hasFile || program.commands.some((name) => world.find(name) !== undefined);
}

/** Every program, found here or not; of their configuration those files alone are read that `--write` has changed. */
export async function listPrograms(
  world: Pick<ExternalPrograms, 'machine' | 'files' | 'records' | 'find'>,
  scope: Scope,
): Promise<readonly ProgramHere[]> {
  const entries: (readonly [string, EntryHere])[] = [];
  for (const { record } of await world.records.all()) {
    const { server, path } = record;
    entries.push([record.program, { server, path, state: await stateOf(world, record) }]);
  }
  return programs.map((program) => {
    const file = configurationFile(world, program, scope);
    return {
      program,
      command: program.commands.map((name) => world.find(name)).find((path) => path !== undefined),
      file,
      hasFile: file !== undefined && world.files.exists(file),
      entries: entries.flatMap(([name, entry]) => (name === program.name ? [entry] : [])),
    };
  });
}

async function stateOf(
  { machine, files }: Pick<ExternalPrograms, 'machine' | 'files'>,
  record: SetupRecord,
): Promise<EntryState> {
  try {
    const { text } = await files.read(record.path);
    return text === undefined ? 'missing' : await entryState(record, text, machine.platform);
  } catch (error) {
    if (error instanceof Failure) return 'unreadable';
    throw error;
  }
}

/** SHA-256 of a text, in hex. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Digest of the entry as it stands in a text; of nothing where there is none. */
export async function entryDigest(text: string, key: EntryKey): Promise<string> {
  const raw = rawEntry(text, key);
  return raw === undefined ? '' : await digest(raw);
}

/** Digest of what the entry means, of what was put there alone: no layout, no order of names, no members of others. */
export async function meaningDigest(text: string, key: EntryKey, names: readonly string[]): Promise<string> {
  const value = entryValue(text, key);
  return value === undefined ? '' : await digest(meaningOf(value, names));
}

/**
 * `same`: what was written is there, perhaps laid out anew by another program. `ours`: it calls this program, otherwise
 * than it was written. `other`: it is somebody's work.
 */
export type EntryState = 'same' | 'ours' | 'other' | 'missing' | 'unreadable';

export async function entryState(record: SetupRecord, text: string, platform: string): Promise<EntryState> {
  const { key, entry, meaning, holds = [] } = record;
  const found = ifEditable(() => openEntry(text, key));
  if (found === undefined) return 'unreadable';
  if (found.raw === undefined) return changedItem(record, text);
  if ((await entryDigest(text, key)) === entry) return 'same';
  if (meaning !== undefined && (await meaningDigest(text, key, holds)) === meaning) return 'same';
  const call = callIn(key, found.value, { platform });
  if (call === undefined) return 'other';
  // Earlier releases have kept no meaning: their entry can only be told by whom it calls.
  return meaning === undefined ? 'same' : 'ours';
}

/** An item of a line that is not there as it was written: another one for the same server has its place, or none. */
function changedItem({ key, server }: SetupRecord, text: string): EntryState {
  if (key.format !== 'line' || key.item === undefined) return 'missing';
  const line = rawEntry(text, wholeKey(key)) ?? '';
  const items = goCommands(line.slice(key.prefix.length)).map(goWords);
  const changed = items.find((words) => words.includes(server));
  if (changed === undefined) return 'missing';
  return callOf(changed) === undefined ? 'other' : 'ours';
}
