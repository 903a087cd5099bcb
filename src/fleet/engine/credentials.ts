import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { systemCode } from '../../core/failure.js';
import { accessProblem } from '../../core/file-access.js';
import { Secret } from '../../core/secret.js';
import { pathRefused } from '../../stores/state-failures.js';
import { engineCredentialsUnusable } from '../failures.js';

export interface EngineCredentials {
  readonly name: string;
  readonly password: Secret;
}

const maxBytes = 4096;

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read (permission denied)',
};

/**
 * Name and password of the engine: of the file that `POSTERN_ENGINE_CREDENTIALS_FILE` names, else of systemd's credential
 * `postern-engine`; undefined where there is neither. A symbolic link is followed, as containers have them.
 * @throws Failure `engine_credentials_unusable`, `path_refused`
 */
export function readEngineCredentials(
  env: Readonly<Record<string, string | undefined>>,
): EngineCredentials | undefined {
  const named = env['POSTERN_ENGINE_CREDENTIALS_FILE'] ?? '';
  if (named !== '') {
    if (!isAbsolute(named) || named.includes('\0')) throw pathRefused('POSTERN_ENGINE_CREDENTIALS_FILE', named);
    return readFrom(named, false);
  }
  const credentials = env['CREDENTIALS_DIRECTORY'] ?? '';
  return isAbsolute(credentials) ? readFrom(join(credentials, 'postern-engine'), true) : undefined;
}

/** @param isSystemds One of systemd may be missing, and open to a service by an access list, which shows as mode 0440. */
function readFrom(path: string, isSystemds: boolean): EngineCredentials | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' && isSystemds) return undefined;
    throw engineCredentialsUnusable(path, unreadable[code] ?? `opening it failed (${code})`);
  }
  try {
    const why = problem(fstatSync(file), isSystemds);
    if (why !== undefined) throw engineCredentialsUnusable(path, why);
    const found = parseEngineCredentials(readFileSync(file, 'utf8'));
    if (found === undefined) throw engineCredentialsUnusable(path, 'it holds no NAME:PASSWORD, nor a line for each');
    return found;
  } finally {
    closeSync(file);
  }
}

function problem(stats: Stats, isSystemds: boolean): string | undefined {
  if (!stats.isFile()) return 'it is not a plain file';
  if (stats.size > maxBytes) return `it is larger than ${maxBytes} bytes`;
  const denied = isSystemds && stats.uid === 0 ? 0o037 : 0o077;
  return accessProblem(stats, process.geteuid?.(), { orRoots: true, denied, hint: '; chmod 600' });
}

/** `NAME:PASSWORD` on one line, or a line for each; undefined for anything else. */
export function parseEngineCredentials(text: string): EngineCredentials | undefined {
  const [, name = '', password = ''] = /^([^\n:]+)[\n:]([^\n]+)\n?$/.exec(text.replaceAll('\r\n', '\n')) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  return name === '' || /[\0-\x1f\x7f]/.test(name + password)
    ? undefined
    : { name: name.trim(), password: new Secret(password) };
}
