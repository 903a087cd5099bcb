import { posix, win32 } from 'node:path';
import { pathRefused } from './state-failures.js';

/** Where this program keeps what is not secret. */
export interface StatePaths {
  /** Holds `config.json`, written by the person. */
  readonly config: string;
  /** Holds the index of logins and the locks, written by this program. */
  readonly state: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folders, by the XDG Base Directory specification or the platform's habit; `POSTERN_CONFIG_DIR` and
 * `POSTERN_STATE_DIR` go before both. An empty variable counts as unset. A relative one is refused: it would
 * mean another folder, perhaps somebody else's, in each working folder.
 * @param homedir The person's home folder, as `os.homedir()` gives it.
 * @throws Failure `path_refused`
 */
export function statePaths(env: Environment, platform: string, homedir: string): StatePaths {
  const { join, isAbsolute } = platform === 'win32' ? win32 : posix;
  const named = (variable: string): string | undefined => {
    const value = env[variable];
    if (value === undefined || value === '') return undefined;
    if (!isAbsolute(value) || value.includes('\0')) throw pathRefused(variable, value);
    return value;
  };
  const home = (...parts: string[]): string => {
    if (!isAbsolute(homedir)) throw pathRefused(platform === 'win32' ? 'USERPROFILE' : 'HOME', homedir);
    return join(homedir, ...parts);
  };
  const roots = rootsOf(platform, named, home);
  return {
    config: named('POSTERN_CONFIG_DIR') ?? join(roots.config(), 'postern'),
    state: named('POSTERN_STATE_DIR') ?? join(roots.state(), 'postern'),
  };
}

/** Where, in its folder, the answer to a refresh of the credential `key` waits for the store. */
export function recoveryPath(folder: string, key: string): string {
  return `${folder}/${key}.sealed`;
}

function rootsOf(
  platform: string,
  named: (variable: string) => string | undefined,
  home: (...parts: string[]) => string,
): { config(): string; state(): string } {
  if (platform === 'win32') {
    return {
      config: () => named('APPDATA') ?? home('AppData', 'Roaming'),
      state: () => named('LOCALAPPDATA') ?? home('AppData', 'Local'),
    };
  }
  const [config, state] =
    platform === 'darwin'
      ? [
          ['Library', 'Application Support'],
          ['Library', 'Application Support'],
        ]
      : [['.config'], ['.local', 'state']];
  return {
    config: () => named('XDG_CONFIG_HOME') ?? home(...config),
    state: () => named('XDG_STATE_HOME') ?? home(...state),
  };
}
