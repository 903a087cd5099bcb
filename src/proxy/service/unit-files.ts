import { randomBytes } from 'node:crypto';
import { constants, existsSync, readlinkSync } from 'node:fs';
import { lstat, mkdir, open, readlink, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isFailure, systemCode } from '../../core/failure.js';
import { replaceFile } from '../../stores/state/safe-file.js';
import { unitRefused } from './failures.js';
import type { UnitFile } from './units/units.js';

/** No unit of ours is larger, in bytes. */
const maxBytes = 65_536;

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** What lies at the path of a unit. */
export type UnitFound = 'free' | 'ours' | 'same' | 'others';

/**
 * What is there: `same` is what would be written, `ours` has our mark and another text, `others` is anything else, links
 * and folders among it.
 */
export async function unitAt({ path, text }: UnitFile, mark: string): Promise<UnitFound> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return 'free';
  if (!found.isFile() || found.size > maxBytes) return 'others';
  try {
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const now = await file.readFile('utf8');
    if (now === text) return 'same';
    return now.includes(mark) ? 'ours' : 'others';
  } catch {
    return 'others';
  }
}

/**
 * Writes the units, all or none that could not be: nothing of somebody else's is replaced, no link is followed.
 * @throws Failure `unit_refused`
 */
export async function writeUnits(files: readonly UnitFile[], mark: string): Promise<void> {
  for (const file of files) {
    if ((await unitAt(file, mark)) !== 'others') continue;
    throw unitRefused(file.path, 'something is there that postern did not write');
  }
  for (const { path, text } of files) {
    await makeFolder(dirname(path));
    const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.new`);
    try {
      await replaceFile(path, text, 0o600, temporary);
    } catch (error) {
      throw isFailure(error) ? error : unitRefused(path, `the system does not allow it (${systemCode(error)})`);
    }
  }
}

/** Removes those that are ours. Returns the paths of those that stay, as they are not. */
export async function removeUnits(files: readonly UnitFile[], mark: string): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const file of files) {
    const found = await unitAt(file, mark);
    if (found === 'others') kept.push(file.path);
    else if (found !== 'free') await unlink(file.path).catch(() => kept.push(file.path));
  }
  return kept;
}

/** Removes links that lead to one of these files, and nothing else. */
export async function removeLinks(links: readonly string[], files: readonly UnitFile[]): Promise<void> {
  for (const link of links) {
    const target = await readlink(link).catch(() => undefined);
    const isOurs =
      target !== undefined && files.some(({ path }) => join(dirname(link), target) === path || target === path);
    if (isOurs) await unlink(link).catch(() => undefined);
  }
}

/** Would the manager begin it at the next login, as far as links say? */
export function isLinked(links: readonly string[]): boolean {
  return links.every((link) => {
    try {
      return readlinkSync(link) !== '' && existsSync(link);
    } catch {
      return false;
    }
  });
}

/** @throws Failure `unit_refused` where others could put their own units there */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unitRefused(folder, `it cannot be made (${systemCode(error)})`);
  }
  const us = process.geteuid?.();
  if (us === undefined) return;
  const { uid, mode } = await stat(folder);
  if (uid !== us && uid !== 0) throw unitRefused(folder, `it belongs to another user (${uid})`);
  if ((mode & 0o002) !== 0) throw unitRefused(folder, 'everybody on this machine may write to it');
}
