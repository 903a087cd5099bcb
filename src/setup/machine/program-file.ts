import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Failure, systemCode } from '../../core/failure.js';
import { fileUnwritable, shimFolderMissing, shimRefused } from '../failures.js';
import { replaceProgramFile } from './program-files.js';

/** More than any that was written by this program. */
const maxBytes = 65_536;

/**
 * Makes a program for this user alone (0700), or replaces one that has `mark` in its second line; whole, and never
 * through a symbolic link.
 * @throws Failure `shim_refused`, `file_unwritable`
 */
export async function writeProgramFile(path: string, text: string, mark: string): Promise<string> {
  const target = resolve(path);
  try {
    await refuseOthers(target, mark);
    await replaceProgramFile(target, text, 0o700);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = systemCode(error);
    throw code === 'ENOENT' ? shimFolderMissing(dirname(target)) : fileUnwritable(target, code);
  }
  return target;
}

async function refuseOthers(path: string, mark: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isFile() || found.size > maxBytes) {
    throw shimRefused(path, 'it is there already, and no program that was written by --shim');
  }
  await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  const [, second = ''] = (await file.readFile('utf8')).split(/\r?\n/, 2);
  if (second !== `# ${mark}` && second !== `@rem ${mark}`) {
    throw shimRefused(path, 'it is there already, and was not written by --shim');
  }
}
