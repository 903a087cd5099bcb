import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What this program writes into its state folder, and into the folder of its configuration. Nothing else in them is
 * ever removed: a variable may have put them where other things are.
 */
const stateNames =
  /^(?:\.?(?:logins|attempts|failures|shell-history)\.json(?:\.new)?|document-certificate-\d+\.pem|\.document-certificate-\d+\.pem\.new|handed-out|locks|recovery|sealed|setup|tools|history)$/;
const configNames = /^\.?config\.json(?:\.new)?$/;

/** Is that the name of something that this program writes into its state folder? */
export function isOwnName(name: string): boolean {
  return stateNames.test(name);
}

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
  for (const path of await ownFiles(folders)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
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

/** Nothing where the folder is not there, or is a link to another one. */
async function namesIn(folder: string, names: RegExp): Promise<readonly string[]> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true) return [];
  return (await readdir(folder)).filter((name) => names.test(name)).map((name) => join(folder, name));
}
