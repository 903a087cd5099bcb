import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

export type Opener =
  /** An executable that takes a URL as its only argument. */
  | { readonly kind: 'program'; readonly path: string }
  /** The desktop is that of Windows, reached through PowerShell. */
  | { readonly kind: 'windows' }
  | { readonly kind: 'none' };

const onMac = ['/usr/bin/open'];
const onUnix = [
  '/usr/bin/xdg-open',
  '/bin/xdg-open',
  '/usr/local/bin/xdg-open',
  '/run/current-system/sw/bin/xdg-open',
];
const powerShellFromWsl = '/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe';

/**
 * Finds what opens a URL here. Only fixed absolute paths are looked at, so that a file called `xdg-open` in the
 * working directory or early on the PATH is never run. `BROWSER` counts if it is the absolute path of an executable
 * file and nothing else: no arguments, no `%s`, no list.
 */
export function findOpener(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Opener {
  if (platform === 'win32') return { kind: 'windows' };
  const chosen = env['BROWSER'] ?? '';
  if (isAbsolute(chosen) && isExecutableFile(chosen)) return { kind: 'program', path: chosen };
  if (platform === 'darwin') return firstOf(onMac);
  if (isWsl(env) && isExecutableFile(powerShellFromWsl)) return { kind: 'windows' };
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return { kind: 'none' };
  return firstOf(onUnix);
}

/** Over SSH the Windows desktop behind WSL is not the one that the person sits at. */
function isWsl(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env['WSL_DISTRO_NAME']) && !env['SSH_CONNECTION'];
}

function firstOf(paths: readonly string[]): Opener {
  const path = paths.find(isExecutableFile);
  return path === undefined ? { kind: 'none' } : { kind: 'program', path };
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
