import { Failure } from '../../core/failure.js';
import { type LogoutOfAll, logoutOfAll } from '../../login/logout/logout.js';
import type { KeptRecord } from '../../setup/machine/setup-records.js';
import { digestOf, removeNotedShim } from '../../setup/machine/shims.js';
import { type UndoneEntry, undoEntry } from '../../setup/undo-entry.js';
import { removeOrphans } from '../../stores/orphans.js';
import { removeClientKey } from '../../tokens/client-keys.js';
import type { Context } from '../context.js';
import { removeOwnFiles } from './own-files.js';
import type { Written } from './plan.js';

/** One entry: what became of it, or why it is still there. */
export interface EntryEnd {
  readonly kept: KeptRecord;
  readonly undone: UndoneEntry | Failure;
}

/** What was taken back, and what was not. */
export interface TakenBack {
  readonly entries: readonly EntryEnd[];
  readonly shims: readonly { readonly path: string; readonly removed: boolean }[];
  readonly ended: LogoutOfAll;
  /** Undefined: they are kept, as what they tell is still needed. */
  readonly leftFiles: readonly string[] | undefined;
  /** The first of what failed. */
  readonly failure: Failure | undefined;
}

/**
 * Takes back all that was written, in an order in which each step can be interrupted, and done again: first what other
 * programs would still call, then the logins, at last our own files, which tell of both.
 * @param force Forget logins whose store does not open, and the records of entries that stay.
 * @throws Failure of the index, or the signal's reason
 */
export async function takeBack(world: Context, written: Written, force: boolean): Promise<TakenBack> {
  const entries = await undoAll(world, written);
  const shims: { path: string; removed: boolean }[] = [];
  for (const shim of written.shims) {
    shims.push({ path: shim.path, removed: await removeNotedShim(written.records, shim) });
  }
  const ended = await endLogins(world, force);
  const failures = [
    ...entries.flatMap(({ undone }) => (undone instanceof Failure ? undone : [])),
    ...ended.failures.map(({ failure }) => failure),
    ...ended.left.map(({ failure }) => failure),
  ];
  const isNeeded = failures.length > 0 && !force;
  world.signal.throwIfAborted();
  const leftFiles = isNeeded ? undefined : await removeOwnFiles(written.folders);
  return { entries, shims, ended, leftFiles, failure: failures[0] };
}

/** The logins, and every key: those of client metadata documents, too, as nothing is left here that could use them. */
async function endLogins(world: Context, force: boolean): Promise<LogoutOfAll> {
  const { signal } = world;
  const ended = await logoutOfAll(world, { force, signal });
  const { clientKeys = [] } = await world.index.read();
  for (const record of clientKeys) await removeClientKey(world, record, signal);
  const left = clientKeys.length === 0 ? ended.left : await removeOrphans(world, () => true, signal);
  return { ...ended, clientKeys: ended.clientKeys + clientKeys.length, keptKeys: 0, left };
}

async function undoAll(world: Context, { entries, programs }: Written): Promise<readonly EntryEnd[]> {
  const { locks, signal } = world;
  const ends: EntryEnd[] = [];
  let open = entries;
  for (;;) {
    const kept = await nextOf(open, programs.files);
    if (kept === undefined) return ends;
    open = open.filter((one) => one !== kept);
    ends.push({ kept, undone: await undoEntry({ locks, programs }, kept, signal).catch(ownFailure(signal)) });
  }
}

/** The latest entry of a file first, so that the file is as it was before the first, to the byte. */
async function nextOf(
  open: readonly KeptRecord[],
  files: Written['programs']['files'],
): Promise<KeptRecord | undefined> {
  for (const kept of open) {
    const file = await files.read(kept.record.path).catch(() => undefined);
    if (file?.text !== undefined && digestOf(file.text) === kept.record.after) return kept;
  }
  return open[0];
}

function ownFailure(signal: AbortSignal): (error: unknown) => Failure {
  return (error) => {
    if (!(error instanceof Failure) || signal.aborted) throw error;
    return error;
  };
}
