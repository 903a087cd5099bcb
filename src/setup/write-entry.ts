import type { Locks } from '../stores/ports.js';
import { type EntryKey, namesIn, rawEntry, wholeKey } from './formats/entry.js';
import { digest, entryDigest, entryState, meaningDigest } from './list-programs.js';
import { planEntry, plannedText, type SetupPlan, type SetupRequest } from './plan-entry.js';
import type { ExternalPrograms, KeptRecord, ProgramFile, SetupRecord } from './ports.js';

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
  readonly programs: Pick<ExternalPrograms, 'machine' | 'files' | 'records'>;
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
  const plan = await planEntry(programs, request);
  const text = plannedText(plan);
  if (text === plan.file.text) {
    await writeShim(programs, plan);
    return { plan, outcome: 'unchanged', backup: undefined, tookOut: false };
  }
  const folders = [plan.file.path, plan.shim?.path ?? plan.file.path].flatMap(programs.files.missingFolders);
  const kept = await keepRecord(programs, plan, text);
  const shim = await shimFile(programs, plan);
  try {
    await writeShim(programs, plan);
    await programs.files.replace(plan.file, text, { executable: false });
  } catch (error) {
    await kept.takeBack();
    if (shim !== undefined && shim.text === undefined) await programs.files.forget(shim.path);
    for (const folder of folders) await programs.files.removeFolder(folder);
    throw error;
  }
  await kept.finish();
  const { backup } = kept;
  const raw = rawEntry(plan.file.text ?? '', wholeKey(plan.entry.key));
  const outcome = raw === undefined ? 'made' : 'changed';
  return { plan, outcome, backup, tookOut: /authorization|bearer|token|api[_-]?key/i.test(raw ?? '') };
}

async function shimFile({ files }: SetupWorld['programs'], { shim }: SetupPlan): Promise<ProgramFile | undefined> {
  return shim === undefined ? undefined : await files.read(shim.path);
}

async function writeShim(programs: SetupWorld['programs'], plan: SetupPlan): Promise<void> {
  const file = await shimFile(programs, plan);
  const text = plan.shim?.text;
  if (file === undefined || text === undefined || file.text === text) return;
  await programs.files.replace(file, text, { executable: true });
}

/** What was kept for an undo, and how that is taken back where nothing came of it. */
interface KeptUndo {
  readonly backup: string;
  takeBack(): Promise<void>;
  /** What an earlier `--write` has left, and nobody needs now. */
  finish(): Promise<void>;
}

/**
 * The record of an earlier `--write` is carried on as long as an entry of ours is still there, however it is laid out:
 * then the oldest backup is the one that an undo is for, and no file with our entry takes its place.
 */
async function keepRecord(
  { machine, records, files }: SetupWorld['programs'],
  { request, file, entry, shim }: SetupPlan,
  text: string,
): Promise<KeptUndo> {
  const before = file.text ?? '';
  const earlier = await earlierRecord(records, file.path, entry.key, request.url);
  const now = await digest(before);
  const state = earlier && (await entryState(earlier.record, before, machine.platform));
  const carried = state === 'same' || state === 'ours' ? earlier : undefined;
  const holds = namesIn(entry);
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
    entry: await entryDigest(text, entry.key),
    meaning: await meaningDigest(text, entry.key, holds),
    holds,
    key: entry.key,
    scope: request.scope,
    name: request.name,
    ...(shim === undefined ? {} : { shim: shim.path }),
  };
  const id = carried?.id ?? crypto.randomUUID();
  return {
    backup: await records.keep({ id, record }, carried === undefined ? before : undefined),
    takeBack: async () => {
      if (carried === undefined) await records.forget(id);
      else await records.keep(carried, undefined);
    },
    finish: async () => {
      if (earlier !== undefined && earlier !== carried) await records.forget(earlier.id);
      await removeShim({ files, records }, earlier?.record.shim);
    },
  };
}

async function earlierRecord(
  records: ExternalPrograms['records'],
  path: string,
  key: EntryKey,
  server: string,
): Promise<KeptRecord | undefined> {
  // A line may hold the entries of several servers, or one after the other.
  const keyOf = (one: EntryKey, of: string) => JSON.stringify([wholeKey(one), one.format === 'line' ? of : undefined]);
  const all = await records.all();
  return all.find(({ record }) => record.path === path && keyOf(record.key, record.server) === keyOf(key, server));
}

/** Removes a program that was written for an entry, unless another entry needs it. */
export async function removeShim(
  { files, records }: Pick<ExternalPrograms, 'files' | 'records'>,
  path: string | undefined,
): Promise<void> {
  if (path === undefined || (await records.all()).some(({ record }) => record.shim === path)) return;
  await files.forget(path);
}
