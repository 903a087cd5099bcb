import type { KeptRecord, Neighbours } from '../../ports/neighbours.js';
import type { Locks } from '../../ports.js';
import { type EntryKey, findEntry } from '../../primitives/edit/entry.js';
import { digest } from './digest.js';
import { planEntry, plannedText, type SetupPlan, type SetupRequest } from './plan-entry.js';

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
  readonly programs: Pick<Neighbours, 'machine' | 'files' | 'records'>;
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
  await writeShim(programs, plan);
  if (text === plan.file.text) {
    return { plan, outcome: 'unchanged', backup: undefined, tookOut: false };
  }
  const backup = await keepRecord(programs, plan, text);
  await programs.files.replace(plan.file, text, { executable: false });
  const former = findEntry(plan.file.text ?? '', plan.entry.key);
  const raw = former.ok ? former.raw : undefined;
  const outcome = raw === undefined ? 'made' : 'changed';
  return { plan, outcome, backup, tookOut: /authorization|bearer|token|api[_-]?key/i.test(raw ?? '') };
}

async function writeShim({ files }: SetupWorld['programs'], { shim }: SetupPlan): Promise<void> {
  if (shim === undefined) return;
  const file = await files.read(shim.path);
  if (file.text !== shim.text) await files.replace(file, shim.text, { executable: true });
}

/**
 * The record of an earlier `--write` is carried on as long as its entry is still there as it was written: then the
 * oldest backup is the one that an undo is for.
 */
async function keepRecord(
  { records, files }: SetupWorld['programs'],
  { request, file, entry, shim }: SetupPlan,
  text: string,
): Promise<string> {
  const before = file.text ?? '';
  const earlier = await earlierRecord(records, file.path, entry.key);
  const now = await digest(before);
  const carriesOn = earlier !== undefined && (await entryDigest(before, entry.key)) === earlier.record.entry;
  const added = await entryDigest(text, entry.key);
  if (carriesOn) {
    const after = earlier.record.after === now ? await digest(text) : null;
    return await records.keep({ ...earlier, record: { ...earlier.record, after, entry: added } }, undefined);
  }
  if (earlier !== undefined) await records.forget(earlier.id);
  const record = {
    version: 1,
    program: request.program.name,
    server: request.url,
    path: file.path,
    key: entry.key,
    existed: file.text !== undefined,
    before: now,
    after: await digest(text),
    entry: added,
    ...(shim === undefined ? {} : { shim: shim.path }),
    folders: files.missingFolders(file.path),
  } as const;
  return await records.keep({ id: crypto.randomUUID(), record }, before);
}

async function earlierRecord(
  records: Neighbours['records'],
  path: string,
  key: EntryKey,
): Promise<KeptRecord | undefined> {
  const all = await records.all();
  return all.find(({ record }) => record.path === path && JSON.stringify(record.key) === JSON.stringify(key));
}

/** Digest of the entry as it stands in a text; of nothing where there is none. */
export async function entryDigest(text: string, key: EntryKey): Promise<string> {
  const found = findEntry(text, key);
  return found.ok && found.raw !== undefined ? await digest(found.raw) : '';
}
