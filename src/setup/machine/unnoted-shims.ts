import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { posixWord } from '../../core/text/printable.js';
import { batchText, utf8Line } from '../../core/text/system.js';
import { statePaths } from '../../stores/paths.js';
import type { Machine } from './ports.js';
import type { NotedShim } from './shims.js';

/** More than any shim has, and more files than a person keeps in such a folder. */
const maxBytes = 65_536;

const maxFiles = 2_000;

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Shims that were written before shims were noted: in the folders of the PATH that lie in this person's home, where programs
 * look for their helpers, and beside those that are noted. One counts where it is this person's own plain file, has the
 * mark, and names these very logins: others may be another installation's.
 */
export async function unnotedShims(
  machine: Pick<Machine, 'platform' | 'homedir' | 'env' | 'stateFolder'>,
  { mark, noted }: { readonly mark: string; readonly noted: readonly NotedShim[] },
): Promise<readonly NotedShim[]> {
  const known = new Set(noted.map(({ path }) => path));
  const found: NotedShim[] = [];
  for (const folder of foldersOf(machine)) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
    for (const { name } of entries.filter((entry) => entry.isFile()).slice(0, maxFiles)) {
      const path = join(folder, name);
      if (known.has(path)) continue;
      const text = await ownText(path);
      if (text !== undefined && isMarked(text, mark) && isOfState(text, machine)) found.push({ path, mark });
      known.add(path);
    }
  }
  return found;
}

function foldersOf({ platform, homedir, env }: Pick<Machine, 'platform' | 'homedir' | 'env'>): readonly string[] {
  const onPath = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && isIn(homedir, folder));
  const terraform = platform === 'win32' ? 'AppData/Roaming/terraform.d/plugins' : '.terraform.d/plugins';
  return [...new Set([...onPath, ...['bin', '.local/bin', terraform].map((folder) => join(homedir, folder))])];
}

function isIn(home: string, folder: string): boolean {
  const path = relative(home, folder);
  return path !== '' && !path.startsWith('..') && !isAbsolute(path);
}

/** Undefined for what is not a small plain file of this person's. */
async function ownText(path: string): Promise<string | undefined> {
  try {
    const { size, uid } = await lstat(path);
    if (size > maxBytes || (process.getuid !== undefined && uid !== process.getuid())) return undefined;
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return await file.readFile('utf8');
  } catch {
    return undefined;
  }
}

/** Whole, and as it was written: what a person has changed is the person's. */
function isMarked(text: string, mark: string): boolean {
  const lines = text.split(/\r?\n/);
  const [first = '', second = ''] = lines;
  const others = lines.slice(2, -2);
  const last = lines.slice(-2).join('\n');
  if (first === '@echo off') {
    const isSet = (line: string) =>
      ['@setlocal DisableDelayedExpansion', utf8Line].includes(line) || /^@set "[A-Z_]+=.*"$/.test(line);
    return second === `@rem ${mark}` && others.every(isSet) && /^@".*" %\*\n$/.test(last);
  }
  const isSet = (line: string) => /^export [A-Z_]+=/.test(line);
  return first === '#!/bin/sh' && second === `# ${mark}` && others.every(isSet) && /^exec .* "\$@"\n$/.test(last);
}

/** A shim names the state folder only where that is not the usual one. */
function isOfState(
  text: string,
  { platform, homedir, stateFolder }: Pick<Machine, 'platform' | 'homedir' | 'stateFolder'>,
): boolean {
  const lines = text.split(/\r?\n/).filter((line) => /^(?:export |@set ")POSTERN_STATE_DIR=/.test(line));
  const usual = statePaths({}, platform as NodeJS.Platform, homedir).state;
  if (lines.length === 0) return stateFolder === usual;
  const named = [
    `export POSTERN_STATE_DIR=${posixWord(stateFolder)}`,
    `@set "POSTERN_STATE_DIR=${stateFolder.replaceAll('%', '%%')}"`, // as earlier releases wrote it
    `@set "POSTERN_STATE_DIR=${batchText(stateFolder, homedir)}"`,
  ];
  return lines.every((line) => named.includes(line));
}
