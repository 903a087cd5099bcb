import { spawn } from 'node:child_process';
import type { Browser } from '../ports.js';
import { findOpener } from './browser/find-opener.js';
import { openerEnvironment } from './browser/opener-environment.js';

/** Our own one-time link, and nothing else, is handed to the system: no byte of it comes from a server. */
const ourLink = /^http:\/\/127\.0\.0\.1:[0-9]{1,5}\/go\/[A-Za-z0-9_-]+$/;

/** An opener that fails says so soon; one that still runs then is a browser, and stays. */
const failsWithinMs = 1_000;
/** PowerShell takes a while to start, and is not waited for any longer than this. */
const windowsWaitMs = 5_000;

/**
 * The person's browser. On macOS and Linux the opener is spawned here: a fixed absolute path, our link as its only
 * argument, no shell, no standard streams, its own session, a minimal environment, the root as working directory.
 * The package `open` would serve worse there: it looks `open` up on the PATH, brings a copy of xdg-open of its own,
 * hands on the whole environment, and does not tell when the opener fails.
 */
export function createBrowser(options: {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}): Browser {
  return {
    open: async (url) => {
      if (!ourLink.test(url)) return 'unavailable';
      const opener = findOpener(options.platform, options.env);
      if (opener.kind === 'none') return 'unavailable';
      if (opener.kind === 'windows') return openOnWindows(url);
      // What Node cannot even try to start it throws; to the person that is the same.
      return spawnOpener(opener.path, url, openerEnvironment(options.env)).catch(() => 'unavailable');
    },
  };
}

function spawnOpener(path: string, url: string, env: NodeJS.ProcessEnv): Promise<'opened' | 'unavailable'> {
  return new Promise((resolve) => {
    const child = spawn(path, [url], { env, cwd: '/', detached: true, shell: false, stdio: 'ignore' });
    const timer = setTimeout(() => end('opened'), failsWithinMs);
    const end = (result: 'opened' | 'unavailable'): void => {
      clearTimeout(timer);
      child.unref();
      resolve(result);
    };
    child.once('error', () => end('unavailable'));
    child.once('exit', (code) => end(code === 0 ? 'opened' : 'unavailable'));
  });
}

/**
 * Windows has no opener that takes a URL as a plain argument: its programs each parse one command line by rules of
 * their own. The package `open` knows them (PowerShell by absolute path, the command encoded, the URL quoted for
 * PowerShell, no console window, the drive as working directory from WSL) and waits until PowerShell has handed over.
 * It passes the environment on; from WSL, Windows programs get none of it but what WSLENV names.
 */
async function openOnWindows(url: string): Promise<'opened' | 'unavailable'> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const { default: open } = await import('open');
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), windowsWaitMs);
    });
    const child = await Promise.race([open(url), late]);
    return child === undefined || child.exitCode === 0 ? 'opened' : 'unavailable';
  } catch {
    return 'unavailable';
  } finally {
    clearTimeout(timer);
  }
}
