import { entryChanged, outsideProject } from './failures.js';
import { restoreEntry } from './formats/entry.js';
import type { ExternalPrograms } from './machine/external-programs.js';
import { runCommands } from './machine/run-commands.js';
import type { KeptRecord } from './machine/setup-records.js';
import { digestOf } from './machine/shims.js';
import { edit, entryState } from './plan-entry.js';
import type { SetupWorld } from './write-entry.js';

/** `file`: every byte is as it was. `entry`: the file was changed elsewhere since, which stays. */
export type UndoneEntry = 'file' | 'entry' | 'nothing-left';

/**
 * Takes back what `--write` did to one file: all of it where nobody else has changed the file since, else the entry
 * alone. An entry that was changed since is somebody's work, and stays.
 * @throws Failure `entry_changed`, `entry_not_edited`, `program_file_changed`, `program_file_unwritable`, `busy`
 */
export async function undoEntry(
  { locks, programs }: SetupWorld,
  kept: KeptRecord,
  signal: AbortSignal,
): Promise<UndoneEntry> {
  await using _lock = await locks.acquire('setup', { waitMs: 5000, signal });
  const undone = await restoreFile(programs, kept, signal);
  await programs.records.forget(kept.id);
  for (const folder of kept.record.folders) {
    if (!(await programs.files.removeFolder(folder))) break;
  }
  return undone;
}

async function restoreFile(
  programs: ExternalPrograms,
  { id, record }: KeptRecord,
  signal: AbortSignal,
): Promise<UndoneEntry> {
  const { machine, files, records } = programs;
  const file = await files.read(record.path);
  if (record.scope === 'project' && file.path !== record.path) throw outsideProject(record.path, file.path);
  const { text } = file;
  if (text === undefined) return 'nothing-left';
  const backup = await records.backup(id);
  if (text === backup) return 'nothing-left';
  if (digestOf(text) === record.after) {
    if (record.existed) await files.replace(file, backup);
    else await files.remove(file);
    return 'file';
  }
  const state = entryState(record, text, machine.platform);
  if (state === 'missing') return 'nothing-left';
  if (state !== 'same') throw entryChanged(record.path, await records.keep({ id, record }, undefined));
  const run = runCommands(programs, signal);
  const restored = await edit(record.path, () => restoreEntry(text, record.key, backup, run));
  await files.replace(file, restored);
  return 'entry';
}
