import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../core/failure.js';
import { accessProblem } from '../../core/file-access.js';
import { configurationUnsafe, configurationUnusable } from '../../core/usage-failures.js';

const longestConfiguration = 256 * 1024;

/**
 * The person's configuration file `config.json`; undefined when there is none. Others may read it, it holds no
 * secret; but nobody else may have written it: a plain file, no link, hers or the system's, in a folder of the kind.
 * @throws Failure `configuration_unusable`
 */
export function readConfigFile(folder: string): { readonly path: string; readonly bytes: Uint8Array } | undefined {
  const path = join(folder, 'config.json');
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    const why = openToOthers(lstatSync(folder));
    if (why !== undefined) throw configurationUnsafe(folder, why);
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw configurationUnsafe(path, 'it is a symbolic link');
    throw code.startsWith('E') ? configurationUnusable(path, `it cannot be opened (${code})`) : error;
  }
  try {
    const stats = fstatSync(file);
    const why = stats.isFile() ? openToOthers(stats) : 'it is not a plain file';
    if (why !== undefined) throw configurationUnsafe(path, why);
    if (stats.size > longestConfiguration) {
      throw configurationUnusable(path, `it is larger than ${longestConfiguration} bytes`);
    }
    return { path, bytes: withoutMark(readFileSync(file)) };
  } finally {
    closeSync(file);
  }
}

/** Notepad and PowerShell put a byte order mark before UTF-8. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  const isMarked = [0xef, 0xbb, 0xbf].every((byte, at) => bytes[at] === byte);
  return isMarked ? bytes.subarray(3) : bytes;
}

/** A link's own mode says nothing. */
function openToOthers(stats: Stats): string | undefined {
  return accessProblem(stats, process.geteuid?.(), { orRoots: true, denied: stats.isSymbolicLink() ? 0 : 0o022 });
}
