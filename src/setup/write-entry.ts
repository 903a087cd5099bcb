import type { Locks } from '../stores/state/locks.js';
import { rawEntry } from './formats/entry.js';
import type { ExternalPrograms } from './machine/external-programs.js';
import { runCommands } from './machine/run-commands.js';
import type { SetupRecord } from './machine/setup-records.js';
import { digestOf } from './machine/shims.js';
import { entryState, planEntry, plannedText, recordOf, type SetupPlan, type SetupRequest } from './plan-entry.js';

/** What `--write` did. */
export interface WrittenEntry {
  readonly plan: SetupPlan;
  readonly outcome: 'made' | 'changed' | 'unchanged';
  /** Where the file is as it was before; undefined when nothing was changed. */
  readonly backup: string | undefined;
  /** The entry had a credential of its own, which the backup still holds. */
  readonly tookOut: boolean;
}

export interface SetupWorld {
  readonly locks: Locks;
  readonly programs: ExternalPrograms;
}

/**
 * Puts the entry into the program's configuration: the backup and the record for the undo first, the file after them,
 * so that a crash between leaves nothing that cannot be undone. Done again it changes nothing.
 * @throws Failure of `planEntry` and `plannedText`, `program_file_changed`, `program_file_unwritable`, `busy`
 */
export async function writeEntry(
  { locks, programs }: SetupWorld,
  request: SetupRequest,
  signal: AbortSignal,
): Promise<WrittenEntry> {
  await using _lock = await locks.acquire('setup', { waitMs: 5000, signal });
  const { files, records } = programs;
  const plan = await planEntry(programs, request);
  const { file } = plan;
  const text = await plannedText(plan, runCommands(programs, signal));
  if (text === file.text) return { plan, outcome: 'unchanged', backup: undefined, tookOut: false };
  const before = file.text ?? '';
  const earlier = await recordOf(records, plan);
  // An earlier record goes on while an entry of ours is there: its backup is the one without any.
  const state = earlier && entryState(earlier.record, before, programs.machine.platform);
  const carried = state === 'same' || state === 'ours' ? earlier : undefined;
  const folders = files.missingFolders(file.path);
  const record: SetupRecord = {
    version: 1,
    program: request.program.name,
    path: file.path,
    existed: carried?.record.existed ?? file.text !== undefined,
    folders: carried?.record.folders ?? folders,
    after: carried === undefined || carried.record.after === digestOf(before) ? digestOf(text) : null,
    server: request.url,
    holds: plan.entry.holds.members,
    key: plan.entry.key,
    scope: request.scope,
    name: request.name,
  };
  const kept = { id: carried?.id ?? crypto.randomUUID(), record };
  const backup = await records.keep(kept, carried === undefined ? before : undefined);
  try {
    await files.replace(file, text);
  } catch (error) {
    if (carried !== undefined) await records.keep(carried, undefined);
    else await records.forget(kept.id);
    for (const folder of folders) await files.removeFolder(folder);
    throw error;
  }
  if (earlier !== undefined && carried === undefined) await records.forget(earlier.id);
  const raw = rawEntry(before, plan.entry.key);
  const tookOut = /authorization|bearer|token|api[_-]?key/i.test(raw ?? '');
  return { plan, outcome: raw === undefined ? 'made' : 'changed', backup, tookOut };
}
