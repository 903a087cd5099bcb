import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { isWholePath } from '../core/text/system.js';
import { homeUnset, pathRefused } from './failures.js';

/** Where this program keeps what is not secret. */
export interface StatePaths {
  /** Holds `config.json`, written by the person. */
  readonly config: string;
  /** Holds the index of logins and the locks, written by this program. */
  readonly state: string;
}

/** The variable that names the folder above ours, and where that is below the home folder otherwise. */
type Root = readonly [variable: string, ...below: string[]];

const applicationSupport = ['Library', 'Application Support'] as const;

const rootsOn: Readonly<Record<string, Readonly<Record<keyof StatePaths, Root>>>> = {
  win32: { config: ['APPDATA', 'AppData', 'Roaming'], state: ['LOCALAPPDATA', 'AppData', 'Local'] },
  darwin: { config: ['XDG_CONFIG_HOME', ...applicationSupport], state: ['XDG_STATE_HOME', ...applicationSupport] },
};

const usualRoots = { config: ['XDG_CONFIG_HOME', '.config'], state: ['XDG_STATE_HOME', '.local', 'state'] } as const;

/**
 * The folders, by the XDG Base Directory specification or the platform's habit; `POSTERN_CONFIG_DIR` and
 * `POSTERN_STATE_DIR` go before both. An empty variable counts as unset. A relative one is refused: it would
 * mean another folder, perhaps another user's, in each working folder.
 * @param homedir As `homeFolder()` gives it.
 * @throws Failure `path_refused`, `home_unset`
 */
export function statePaths(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
  homedir: string,
): StatePaths {
  const { join } = platform === 'win32' ? win32 : posix;
  const isAbsolute = platform === 'win32' ? isWholePath : posix.isAbsolute;
  const named = (variable: string): string | undefined => {
    const value = env[variable];
    if (value === undefined || value === '') return undefined;
    if (!isAbsolute(value) || value.includes('\0')) throw pathRefused(variable, value);
    return value;
  };
  const below = ([rootVariable, ...folders]: Root): string => {
    const root = named(rootVariable);
    if (root !== undefined) return join(root, 'postern');
    const variable = platform === 'win32' ? 'USERPROFILE' : 'HOME';
    if (homedir === '') throw homeUnset(variable);
    if (!isAbsolute(homedir)) throw pathRefused(variable, homedir);
    return join(homedir, ...folders, 'postern');
  };
  const roots = rootsOn[platform] ?? usualRoots;
  return {
    config: named('POSTERN_CONFIG_DIR') ?? below(roots.config),
    state: named('POSTERN_STATE_DIR') ?? below(roots.state),
  };
}

/** The user's home folder; '' where there is none, as for a user that a container's system does not know. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Where, in its folder, the response to a refresh of the credential `key` waits for the store. */
export function recoveryPath(folder: string, key: string): string {
  return join(folder, `${key}.sealed`);
}
