import type { Locks } from '../stores/ports.js';
import { type EditedText, rawEntry } from './formats/entry.js';
import type { ExternalPrograms } from './machine/ports.js';
import { runCommands } from './machine/run-commands.js';
import type { KeptRecord, SetupRecord } from './machine/setup-records.js';
import { planEntry, plannedText, type SetupPlan, type SetupRequest } from './plan-entry.js';
import { digest, entryDigests, entryState, recordOf } from './recorded-entry.js';

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
  const edited = await plannedText(plan, runCommands(programs, signal));
  const { text } = edited;
  if (text === file.text) return { plan, outcome: 'unchanged', backup: undefined, tookOut: false };
  const folders = files.missingFolders(file.path);
  const { kept, earlier, isCarried } = await recordFor(programs, plan, edited);
  const backup = await records.keep(kept, isCarried ? undefined : (file.text ?? ''));
  try {
    await files.replace(file, text);
  } catch (error) {
    if (isCarried && earlier !== undefined) await records.keep(earlier, undefined);
    else await records.forget(kept.id);
    for (const folder of folders) await files.removeFolder(folder);
    throw error;
  }
  if (earlier !== undefined && !isCarried) await records.forget(earlier.id);
  const raw = rawEntry(file.text ?? '', plan.entry.key);
  const tookOut = /authorization|bearer|token|api[_-]?key/i.test(raw ?? '');
  return { plan, outcome: raw === undefined ? 'made' : 'changed', backup, tookOut };
}

/**
 * The record of an earlier `--write` is carried on as long as an entry of ours is still there, however it is laid out:
 * then the oldest backup is the one that an undo is for, and no file with our entry replaces it.
 */
async function recordFor(
  { machine, records, files }: SetupWorld['programs'],
  plan: SetupPlan,
  { text, after }: EditedText,
): Promise<{ readonly kept: KeptRecord; readonly earlier: KeptRecord | undefined; readonly isCarried: boolean }> {
  const { request, wanted, file, entry } = plan;
  const before = file.text ?? '';
  const earlier = await recordOf(records, plan);
  const now = await digest(before);
  const state = earlier && (await entryState(earlier.record, before, machine.platform));
  const carried = state === 'same' || state === 'ours' ? earlier : undefined;
  const holds = Object.keys(entry.holds.members);
  const fresh = {
    version: 1,
    program: request.program.name,
    path: file.path,
    existed: file.text !== undefined,
    before: now,
    folders: files.missingFolders(file.path),
  } as const;
  const record: SetupRecord = {
    ...(carried?.record ?? fresh),
    server: request.url,
    after: carried === undefined || carried.record.after === now ? await digest(text) : null,
    ...(await entryDigests(after, holds)),
    holds,
    key: entry.key,
    scope: request.scope,
    name: request.name,
    call: { server: wanted.server, options: wanted.options, variables: wanted.machine.variables },
  };
  const kept = { id: carried?.id ?? crypto.randomUUID(), record };
  return { kept, earlier, isCarried: carried !== undefined };
}
