import { isAbsolute } from 'node:path';
import type { BrowserChoice } from '../../core/records.js';
import { within } from '../../core/time.js';
import { createClock } from '../../stores/clock.js';
import { findProgram, isExecutable, runProgram, safePath } from '../../stores/run-program.js';
import { knownBrowser, profileWords, usualBrowser } from './chosen-browser.js';

export interface Browser {
  /** Hands our own one-time loopback URL to the person's browser, or to the one that they chose. Never throws. */
  open(url: string, chosen?: BrowserChoice, watch?: OpenerWatch): Promise<'opened' | 'unavailable'>;
}

export interface OpenerWatch {
  /** It ended with an error, after `opened` was said of it. */
  failed(): void;
  tell(line: string): void;
}

/** Our own one-time link, and nothing else, is handed to the system: no byte of it comes from a server. */
const ourLink = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost):[0-9]{1,5}\/go\/[A-Za-z0-9_-]+$/;

/** Most openers that fail have failed by then. One that still runs may be the browser itself, and is left alone. */
const failsWithinMs = 1_000;

/** PowerShell takes a while to start, and is not waited for any longer than this. */
const windowsWaitMs = 5_000;

/**
 * The person's browser. On macOS and Linux the opener is started here: a fixed absolute path, our link as its only
 * argument, no shell, no standard streams, its own session, a minimal environment. The package `open` would look `open` up
 * on the PATH, bring an xdg-open of its own, hand on the whole environment, and hide that the opener fails.
 */
export function createBrowser(options: {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}): Browser {
  return {
    open: async (url, chosen, watch) => {
      const { platform, env } = options;
      if (!ourLink.test(url)) return 'unavailable';
      const failed = watch?.failed;
      if (chosen !== undefined && chosen.program !== usualBrowser) return await openIn(chosen, url, options, failed);
      if (platform !== 'win32' && (env['BROWSER'] ?? '') !== '' && browserVariable(env) === undefined) {
        watch?.tell('BROWSER is ignored: it must be one program, by its absolute path or by a name on the PATH.');
      }
      const opener = findOpener(platform, env);
      if (opener.kind === 'none') return 'unavailable';
      if (opener.kind === 'windows') return openOnWindows(url);
      return startOpener([opener.path, url], env, failed);
    },
  };
}

/** In the browser that the person chose for this login, and in no other: it may be the one for that account. */
async function openIn(
  { program, profile }: BrowserChoice,
  url: string,
  { platform, env }: { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv },
  failed: OpenerWatch['failed'] | undefined,
): Promise<'opened' | 'unavailable'> {
  const words = profileWords(program, profile);
  const browser = knownBrowser(program);
  if (words === undefined) return 'unavailable';
  if (platform === 'win32' || (isWsl(env) && isExecutable(powerShellFromWsl))) {
    const name = browser === undefined ? program : browser.windows;
    return name === undefined ? 'unavailable' : await openOnWindows(url, { name, arguments: words });
  }
  if (platform === 'darwin' && browser !== undefined) {
    const options = words.length === 0 ? [url] : ['-n', '--args', ...words, url];
    return await startOpener(['/usr/bin/open', '-a', browser.application, ...options], env, failed);
  }
  // In the system's own folders alone, as for openers.
  const inFolders = (name: string) => systemPath.split(':').map((folder) => `${folder}/${name}`);
  const paths = browser === undefined ? [program] : browser.programs.flatMap(inFolders);
  const path = paths.find((one) => isAbsolute(one) && isExecutable(one));
  return path === undefined ? 'unavailable' : await startOpener([path, ...words, url], env, failed);
}

/** What Node cannot even try to start it throws; to the person that is the same. */
async function startOpener(
  command: readonly [string, ...string[]],
  from: NodeJS.ProcessEnv,
  failedLater: OpenerWatch['failed'] | undefined,
): Promise<'opened' | 'unavailable'> {
  const env = openerEnvironment(from);
  const kept = { limitMs: failsWithinMs, outlives: true, failedLater };
  const end = await runProgram({ command, env, folder: '/', input: 'closed', output: [], ...kept }).catch(
    () => undefined,
  );
  if (end === undefined) return 'unavailable';
  return end.kind === 'timeout' || (end.kind === 'ended' && end.code === 0) ? 'opened' : 'unavailable';
}

/**
 * Windows has no opener that takes a URL as a plain argument. The package `open` knows its rules (PowerShell by absolute
 * path, the command encoded, the URL quoted, no console window) and waits until PowerShell has handed over. It passes the
 * environment on; from WSL, Windows programs get none of it but what WSLENV names.
 */
async function openOnWindows(url: string, app?: WindowsApp): Promise<'opened' | 'unavailable'> {
  try {
    const { default: open } = await import('open');
    const child = await within(createClock(), windowsWaitMs, open(url, app === undefined ? {} : { app }));
    return child === undefined || child.exitCode === 0 ? 'opened' : 'unavailable';
  } catch {
    return 'unavailable';
  }
}

interface WindowsApp {
  readonly name: string;
  readonly arguments: readonly string[];
}

/** An executable that takes a URL as its only argument; or the desktop of Windows, reached through PowerShell. */
export type Opener =
  | { readonly kind: 'program'; readonly path: string }
  | { readonly kind: 'windows' }
  | { readonly kind: 'none' };

const onUnix = ['/usr/bin/xdg-open', '/bin/xdg-open', '/usr/local/bin/xdg-open', '/run/current-system/sw/bin/xdg-open'];

const powerShellFromWsl = '/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe';

/**
 * Finds what opens a URL here. Only fixed absolute paths are looked at, so that a file called `xdg-open` in the
 * working directory or early on the PATH is never run. `BROWSER` counts if it is one executable file: no arguments, no
 * `%s`, no list.
 */
export function findOpener(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Opener {
  if (platform === 'win32') return { kind: 'windows' };
  const chosen = browserVariable(env);
  if (chosen !== undefined) return { kind: 'program', path: chosen };
  if (platform === 'darwin') return firstOf(['/usr/bin/open']);
  if (isWsl(env) && isExecutable(powerShellFromWsl)) return { kind: 'windows' };
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return { kind: 'none' };
  return firstOf(onUnix);
}

/** The executable file that `BROWSER` names: by its absolute path, or by a name on the PATH. */
function browserVariable({ BROWSER: value = '', PATH: path }: NodeJS.ProcessEnv): string | undefined {
  if (isAbsolute(value)) return isExecutable(value) ? value : undefined;
  return /^[\w.+-]+$/.test(value) ? findProgram(value, safePath(path, process.cwd()), ['']) : undefined;
}

/** Over SSH the person does not sit at the Windows desktop behind WSL. */
function isWsl(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env['WSL_DISTRO_NAME']) && !env['SSH_CONNECTION'];
}

function firstOf(paths: readonly string[]): Opener {
  const path = paths.find(isExecutable);
  return path === undefined ? { kind: 'none' } : { kind: 'program', path };
}

/** What an opener and a browser need to find the person's desktop, and nothing more. */
const kept: ReadonlySet<string> = new Set([
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LANGUAGE',
  'TMPDIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'DESKTOP_SESSION',
  'GNOME_DESKTOP_SESSION_ID',
  'KDE_FULL_SESSION',
  'KDE_SESSION_VERSION',
  // Where an editor's remote session opens pages on the person's own machine, through its own BROWSER.
  'VSCODE_IPC_HOOK_CLI',
]);

/** The caller's PATH, and with it the working directory, is not searched. */
const systemPath = '/usr/local/bin:/usr/bin:/bin:/snap/bin:/var/lib/flatpak/exports/bin:/run/current-system/sw/bin';

/**
 * The environment that an opener starts with: the desktop's variables, the languages, and a fixed PATH. Tokens,
 * `NODE_OPTIONS` and whatever else the caller holds stay behind.
 */
function openerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const wanted = Object.entries(env).filter(
    ([name]) => kept.has(name) || ((name.startsWith('XDG_') || name.startsWith('LC_')) && !name.endsWith('_TOKEN')),
  );
  return { ...Object.fromEntries(wanted), PATH: systemPath };
}
