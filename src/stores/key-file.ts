import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type Failure, systemCode } from '../core/failure.js';
import { accessProblem } from '../core/file-access.js';
import { pathRefused } from './state-failures.js';

/** Where a file with a key or a password is named: by a variable, or as a credential of systemd. */
export interface KeyName {
  readonly variable: string;
  readonly credential: string;
}

interface NamedFile {
  readonly path: string;
  readonly bytes: Buffer;
}

interface Wanted {
  /** What is the matter with that file; undefined: nothing. */
  readonly problem: (stats: Stats, path: string) => string | undefined;
  /** @param why Ends a sentence about the file. */
  readonly refuse: (path: string, why: string) => Failure;
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read (permission denied)',
};

/**
 * The file that the variable names, else systemd's credential; undefined where there is neither. A symbolic link is
 * followed, as containers have them: what counts is the file, which is its user's alone, or root's.
 * @throws Failure of `refuse`, `path_refused`
 */
export function readNamedFile(
  env: Readonly<Record<string, string | undefined>>,
  { variable, credential }: KeyName,
  wanted: Wanted,
): NamedFile | undefined {
  const named = env[variable] ?? '';
  if (named !== '') {
    if (!isAbsolute(named) || named.includes('\0')) throw pathRefused(variable, named);
    return readFrom(named, false, wanted);
  }
  const credentials = env['CREDENTIALS_DIRECTORY'] ?? '';
  return isAbsolute(credentials) ? readFrom(join(credentials, credential), true, wanted) : undefined;
}

/** @param isSystemds One of systemd may be missing, and open to a service by an access list, which shows as mode 0440. */
function readFrom(path: string, isSystemds: boolean, { problem, refuse }: Wanted): NamedFile | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' && isSystemds) return undefined;
    throw refuse(path, unreadable[code] ?? `opening it failed (${code})`);
  }
  try {
    const stats = fstatSync(file);
    const denied = isSystemds && stats.uid === 0 ? 0o037 : 0o077;
    const why = stats.isFile()
      ? (problem(stats, path) ??
        accessProblem(stats, process.geteuid?.(), { orRoots: true, denied, hint: '; chmod 600' }))
      : 'it is not a plain file';
    if (why !== undefined) throw refuse(path, why);
    return { path, bytes: readFileSync(file) };
  } finally {
    closeSync(file);
  }
}
