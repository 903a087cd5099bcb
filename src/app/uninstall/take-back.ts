import { join } from 'node:path';
import { Failure } from '../../core/failure.js';
import { type LogoutOfAll, logoutOfAll } from '../../login/logout/logout.js';
import type { KeptRecord } from '../../setup/machine/setup-records.js';
import { digestOf, notedShims, removeNotedShim } from '../../setup/machine/shims.js';
import { type UndoneEntry, undoEntry } from '../../setup/undo-entry.js';
import { removeOrphans } from '../../stores/orphans.js';
import { removeClientKey } from '../../tokens/client-keys.js';
import type { Context } from '../context.js';
import { ownFiles, removeOwnFiles } from './own-files.js';

export type Written = Awaited<ReturnType<typeof allWritten>>;

/** All that this program has written on this machine, as far as it knows. @throws Failure of the index */
export async function allWritten(world: Context) {
  const programs = await world.externalPrograms();
  const folders = { state: programs.machine.stateFolder, config: world.configurationFile().folder };
  const records = join(folders.state, 'setup');
  const { logins, providers = [], registrations, clientKeys = [], orphans = [] } = await world.index.read();
  return {
    programs,
    folders,
    /** Where entries and shims are noted. */
    records,
    /** What `setup --write` put into other programs' files. */
    entries: await programs.records.all(),
    /** What `credential --shim` wrote. */
    shims: await notedShims(records),
    logins,
    providers,
    registrations: registrations.length,
    clientKeys: clientKeys.length,
    /** Secrets without a login that a store would not remove. */
    orphans: orphans.length,
    files: await ownFiles(folders),
  };
}

export type TakenBack = Awaited<ReturnType<typeof takeBack>>;

/**
 * Takes back all that was written, in an order in which each step can be interrupted, and done again: first what other
 * programs would still call, then the logins, at last our own files, which tell of both.
 * @param force Forget logins whose store does not open, and the records of entries that stay.
 * @throws Failure of the index, or the signal's reason
 */
export async function takeBack(world: Context, written: Written, force: boolean) {
  const entries = await undoAll(world, written);
  const shims: { path: string; removed: boolean }[] = [];
  for (const shim of written.shims) {
    shims.push({ path: shim.path, removed: await removeNotedShim(written.records, shim) });
  }
  const ended = await endLogins(world, force);
  const failed = [
    ...entries.map(({ undone }) => undone),
    ...[...ended.failures, ...ended.left].map((one) => one.failure),
  ];
  const failure = failed.find((one) => one instanceof Failure);
  world.signal.throwIfAborted();
  // What could not be taken back needs them still.
  const leftFiles = failure !== undefined && !force ? undefined : await removeOwnFiles(written.folders);
  return { entries, shims, ended, leftFiles, failure };
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

/** What became of each entry, or why it is still there. */
async function undoAll({ locks, signal }: Context, { entries, programs }: Written) {
  const ends: { readonly kept: KeptRecord; readonly undone: UndoneEntry | Failure }[] = [];
  const open = new Set(entries);
  while (open.size > 0) {
    const kept = (await latestOf(open, programs.files)) as KeptRecord;
    open.delete(kept);
    const undone = await undoEntry({ locks, programs }, kept, signal).catch((error: unknown) => {
      if (!(error instanceof Failure) || signal.aborted) throw error;
      return error;
    });
    ends.push({ kept, undone });
  }
  return ends;
}

/** The latest entry of a file first, so that the file is as it was before the first, to the byte. */
async function latestOf(open: ReadonlySet<KeptRecord>, files: Written['programs']['files']) {
  for (const kept of open) {
    const file = await files.read(kept.record.path).catch(() => undefined);
    if (file?.text !== undefined && digestOf(file.text) === kept.record.after) return kept;
  }
  return open.values().next().value;
}
