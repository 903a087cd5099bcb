import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Failure } from '../../core/failure.js';
import { type LogoutOfAll, logoutOfAll } from '../../login/logout/logout.js';
import type { KeptRecord } from '../../setup/machine/setup-records.js';
import { digestOf, notedShims, removeNotedShim } from '../../setup/machine/shims.js';
import { type UndoneEntry, undoEntry } from '../../setup/undo-entry.js';
import { removeOrphans } from '../../stores/orphans.js';
import { removeClientKey } from '../../tokens/client-keys.js';
import type { Context } from '../context.js';

export type Written = Awaited<ReturnType<typeof allWritten>>;

/** Everything that this program knows it has written on this machine. @throws Failure of the index */
export async function allWritten(world: Context) {
  const programs = await world.externalPrograms();
  const folders = { state: programs.machine.stateFolder, config: world.configurationFile().folder };
  const records = join(folders.state, 'setup');
  const { logins, providers = [], registrations, clientKeys = [], orphans = [] } = await world.index.read();
  return {
    ...{ programs, folders, records, logins, providers },
    entries: await programs.records.all(),
    shims: await notedShims(records),
    registrations: registrations.length,
    clientKeys: clientKeys.length,
    /** Secrets without a login that a store would not remove. */
    orphans: orphans.length,
    files: await ownFiles(folders),
  };
}

export type TakenBack = Awaited<ReturnType<typeof takeBack>>;

/**
 * Takes everything back, in an order that can be interrupted and repeated: first what other programs would still call,
 * then the logins, last our own files, which record both.
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

/** Ends the logins and removes every key, also of client metadata documents: nothing here could use them. */
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
  for (;;) {
    const kept = await latestOf(open, programs.files);
    if (kept === undefined) return ends;
    open.delete(kept);
    const undone = await undoEntry({ locks, programs }, kept, signal).catch((error: unknown) => {
      if (!(error instanceof Failure) || signal.aborted) throw error;
      return error;
    });
    ends.push({ kept, undone });
  }
}

/** The latest entry of a file first, so that the file is as it was before the first, to the byte. */
async function latestOf(open: ReadonlySet<KeptRecord>, files: Written['programs']['files']) {
  for (const kept of open) {
    const file = await files.read(kept.record.path).catch(() => undefined);
    if (file?.text !== undefined && digestOf(file.text) === kept.record.after) return kept;
  }
  const [any] = open;
  return any;
}

/**
 * Names that this program writes in its state and configuration folders, and in their folders. Nothing else is removed:
 * a variable may have put them among other files.
 */
export const stateNames =
  /^(?:\.?(?:logins|attempts|failures|shell-history)\.json(?:\.new)?|locks|native|recovery|sealed|setup|shared|tools)$/;
const configNames = /^(?:\.?config\.json(?:\.new)?|\.config\.json\.[0-9a-f]{16}|config\.edited-[0-9a-f]{8}\.json)$/;
const namesInside: ReadonlyMap<string, RegExp> = new Map([
  ['locks', /^[a-z0-9-]{1,71}\.lock(?:\.[0-9a-f.-]+(?:\.new|\.break)?)?$/],
  ['native', /^[0-9a-f]{64}\.node(?:\.\d+)?$/],
  ['recovery', /^\.?[0-9a-f]{64}\.(?:sealed|[0-9a-f]{16}\.begun)(?:\.new)?$/],
  ['sealed', /^\.?(?:head|[0-9a-f]{64}\.sealed)(?:\.new)?$/],
  ['setup', /^\.?(?:shim-[0-9a-f]{32}\.json|[0-9a-f-]{36}\.(?:json|backup))(?:\.new)?$/],
  ['shared', /^\.?[0-9a-f]{64}\.newest(?:\.new)?$/],
  ['tools', /^(?:x-)?[0-9a-f]{64}\.json(?:\.\d+)?$/],
]);

type OwnFolders = Readonly<Record<'state' | 'config', string>>;

/** Absolute paths of our files and folders that exist; those with records of others' files come last. */
export async function ownFiles({ state, config }: OwnFolders): Promise<readonly string[]> {
  const all = [...(await namesIn(state, stateNames)), ...(await namesIn(config, configNames))];
  const isLast = (path: string) => /[\\/](?:setup|logins\.json)$/.test(path);
  return [...new Set([...all.filter((path) => !isLast(path)), ...all.filter(isLast)])];
}

/** Removes them, and the folders that are empty then. Returns what is left in the folders. */
export async function removeOwnFiles(folders: OwnFolders): Promise<readonly string[]> {
  for (const path of await ownFiles(folders)) {
    const names = namesInside.get(basename(path));
    const inside = names === undefined ? [] : await namesIn(path, names);
    for (const one of [...inside, path]) await rm(one, { force: true }).catch(() => undefined);
    await rmdir(path).catch(() => undefined);
  }
  const left: string[] = [];
  for (const folder of new Set([folders.state, folders.config])) {
    await rmdir(folder).catch(() => undefined);
    left.push(...(await readdir(folder).catch(() => [])).map((name) => join(folder, name)));
  }
  return left;
}

/** Nothing where the folder is not there, or is a link to another one. */
async function namesIn(folder: string, names: RegExp): Promise<readonly string[]> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true) return [];
  return (await readdir(folder)).filter((name) => names.test(name)).map((name) => join(folder, name));
}
