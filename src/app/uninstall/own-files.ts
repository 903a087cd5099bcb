import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * What this program writes into its state folder, and into the folder of its configuration. Nothing else in them is
 * ever removed: a variable may have put them where other things are.
 */
export const stateNames =
  /^(?:\.?(?:logins|attempts|failures|shell-history)\.json(?:\.new)?|locks|native|recovery|sealed|setup|shared|tools)$/;
const configNames = /^(?:\.?config\.json(?:\.new)?|\.config\.json\.[0-9a-f]{16}|config\.edited-[0-9a-f]{8}\.json)$/;

/** What this program writes into each of those folders. Other programs have folders of such names, too. */
const namesInside: ReadonlyMap<string, RegExp> = new Map([
  ['locks', /^[a-z0-9-]{1,71}\.lock(?:\.[0-9a-f.-]+(?:\.new|\.break)?)?$/],
  ['native', /^[0-9a-f]{64}\.node(?:\.\d+)?$/],
  ['recovery', /^\.?[0-9a-f]{64}\.(?:sealed|[0-9a-f]{16}\.begun)(?:\.new)?$/],
  ['sealed', /^\.?(?:head|[0-9a-f]{64}\.sealed)(?:\.new)?$/],
  ['setup', /^\.?(?:shim-[0-9a-f]{32}\.json|[0-9a-f-]{36}\.(?:json|backup))(?:\.new)?$/],
  ['shared', /^\.?[0-9a-f]{64}\.spent(?:\.new)?$/],
  ['tools', /^(?:x-)?[0-9a-f]{64}\.json(?:\.\d+)?$/],
]);

/** The folders that are ours. */
export interface OwnFolders {
  readonly state: string;
  readonly config: string;
}

/** Absolute paths of the files and folders of ours that are there; those that hold records of others' files come last. */
export async function ownFiles({ state, config }: OwnFolders): Promise<readonly string[]> {
  const all = [...(await namesIn(state, stateNames)), ...(await namesIn(config, configNames))];
  const isLast = (path: string) => /[\\/](?:setup|logins\.json)$/.test(path);
  return [...new Set([...all.filter((path) => !isLast(path)), ...all.filter(isLast)])];
}

/** Removes them, and the folders that are empty then. Returns what could not be removed, and what is left in the folders. */
export async function removeOwnFiles(folders: OwnFolders): Promise<readonly string[]> {
  for (const path of await ownFiles(folders)) await removeOwn(path);
  const left: string[] = [];
  for (const folder of new Set([folders.state, folders.config])) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) left.push(...(await readdir(folder).catch(() => [])).map((name) => join(folder, name)));
  }
  return left;
}

/** A file or a link goes; of a folder what is ours in it, and then itself, if it is empty. */
async function removeOwn(path: string): Promise<void> {
  const names = namesInside.get(basename(path));
  const inside = names === undefined ? [] : await namesIn(path, names);
  for (const one of [...inside, path]) await rm(one, { force: true }).catch(() => undefined);
  await rmdir(path).catch(() => undefined);
}

/** Nothing where the folder is not there, or is a link to another one. */
async function namesIn(folder: string, names: RegExp): Promise<readonly string[]> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true) return [];
  return (await readdir(folder)).filter((name) => names.test(name)).map((name) => join(folder, name));
}
