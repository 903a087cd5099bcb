import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';
import { Attachment, usualLimits } from './attachment.js';
import type { Home, Variables } from './home.js';
import { CommandRefused, type Marionette, marionette } from './marionette.js';

/** A person's X display with nothing on it, `needs('xvfb')`. */
export interface Desktop extends AsyncDisposable {
  /** `DISPLAY` */
  readonly env: Variables;
}

export async function openDesktop(): Promise<Desktop> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = (await Promise.race([
    once(server.stdio[3] as NodeJS.ReadableStream, 'data'),
    once(server, 'close').then(() => Promise.reject(new Error('Xvfb ended before it had a display'))),
  ])) as [Buffer];
  return { env: { DISPLAY: `:${number.toString().trim()}` }, [Symbol.asyncDispose]: () => endOf(server) };
}

/**
 * A real browser with a window, an empty profile, and nobody's flags that change how it connects: the program starts it
 * by its command line, as the desktop's opener would. The test then acts on its pages as the person.
 */
export interface HeadedBrowser extends AsyncDisposable {
  /** Absolute path of the executable: the value for `BROWSER`. */
  readonly path: string;
  /** Waits until `selector` finds something on a page (at most 60 s). */
  isShown(selector: string): Promise<void>;
  /** Clicks what `selector` finds on any page, as soon as it is there (at most 60 s). */
  click(selector: string): Promise<void>;
  /** Waits until a page has this title (at most 60 s). */
  sees(title: string): Promise<void>;
}

/** `needs('chromium')`. It asks no host of its maker's. */
export async function headedChromium(home: Pick<Home, 'path'>, name: string): Promise<HeadedBrowser> {
  const profile = join(home.path, `${name}-profile`);
  const flags = [
    '--no-sandbox',
    '--no-first-run',
    '--no-default-browser-check',
    '--password-store=basic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-crash-reporter',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ];
  const started = await executable(home, name, `exec chromium ${flags.join(' ')} "$@"`);
  const attached = new Attachment(async (signal) => {
    const port = await portIn(join(profile, 'DevToolsActivePort'));
    const connection = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { timeout: usualLimits.attemptMs });
    signal.addEventListener('abort', () => void connection.close().catch(() => undefined));
    return connection;
  });
  const pagesOf = (connection: Browser) => {
    if (!connection.isConnected()) throw new Error('Chromium closed the connection');
    return connection.contexts().flatMap((context) => context.pages());
  };
  const find = async (connection: Browser, selector: string) => {
    for (const page of pagesOf(connection)) {
      const found = await page.$(selector).catch(() => null);
      if (found !== null) return found;
    }
    return undefined;
  };
  return {
    path: started.path,
    isShown: (selector) =>
      attached.until(`not shown: ${selector}`, async (connection) => (await find(connection, selector)) !== undefined),
    click: (selector) =>
      attached.until(`not there to be clicked: ${selector}`, async (connection) => {
        const found = await find(connection, selector);
        // Without a wait for where it leads: the window may be gone by then.
        await found?.click({ noWaitAfter: true, timeout: usualLimits.attemptMs });
        return found !== undefined;
      }),
    sees: async (title) => {
      let shown = '';
      const look = async (connection: Browser) => {
        const pages = pagesOf(connection);
        const titles = await Promise.all(pages.map((page) => page.title().catch(() => '')));
        shown = pages.map((page, at) => `${titles[at]} (${page.url()})`).join(', ');
        return titles.some((each) => each.startsWith(title));
      };
      await attached.until(`no page is called ${title}`, look).catch((error: Error) => {
        throw new Error(`${error.message}, but: ${shown}`);
      });
    },
    [Symbol.asyncDispose]: started[Symbol.asyncDispose],
  };
}

const preferences = {
  'marionette.port': 0,
  'remote.prefs.recommended': false, // they change how it connects
  'app.normandy.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

/** `needs('firefox')`: clicked on by Marionette, and looked at by the title of its window. */
export async function headedFirefox(home: Pick<Home, 'path'>, name: string, desktop: Desktop): Promise<HeadedBrowser> {
  const profile = join(home.path, `${name}-profile`);
  await mkdir(profile);
  const lines = Object.entries(preferences).map(
    ([key, value]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(value)});\n`,
  );
  await writeFile(join(profile, 'user.js'), lines.join(''));
  const command = `exec firefox-esr --profile '${profile}' --marionette "$@"`;
  const started = await executable(home, name, command);
  const attached = new Attachment(async (signal) => {
    const send = await marionette(await portIn(join(profile, 'MarionetteActivePort')), signal);
    await send('WebDriver:NewSession', {});
    return send;
  });
  const find = async (send: Marionette, selector: string): Promise<unknown> => {
    const asked = { using: 'css selector', value: selector };
    const found = await send('WebDriver:FindElement', asked).catch((error: Error) => {
      if (error instanceof CommandRefused) return undefined;
      throw error;
    });
    return Object.values(found?.['value'] ?? {})[0];
  };
  return {
    path: started.path,
    isShown: (selector) =>
      attached.until(`not shown: ${selector}`, async (send) => (await find(send, selector)) !== undefined),
    click: (selector) =>
      attached.until(`not there to be clicked: ${selector}`, async (send) => {
        const id = await find(send, selector);
        // Its answer may never come: the page goes to another process.
        if (id !== undefined) void send('WebDriver:ElementClick', { id }).catch(() => undefined);
        return id !== undefined;
      }),
    sees: async (title) => {
      const env = { ...process.env, ...desktop.env };
      const search = spawn('timeout', ['60', 'xdotool', 'search', '--sync', '--name', title], { env });
      const [code] = (await once(search, 'close')) as [number];
      if (code !== 0) throw new Error(`no window is called ${title}`);
    },
    [Symbol.asyncDispose]: started[Symbol.asyncDispose],
  };
}

/** An executable that notes the process it becomes; leaving the scope ends that one, and what it has started. */
async function executable(
  home: Pick<Home, 'path'>,
  name: string,
  command: string,
): Promise<{ path: string } & AsyncDisposable> {
  const path = join(home.path, name);
  const noted = `${path}.pid`;
  // A second one hands its address to the first and ends.
  const note = `[ -e '${noted}' ] || echo $$ > '${noted}'`;
  await writeFile(path, `#!/bin/sh\n${note}\nexec > '${path}.log' 2>&1\n${command}\n`, { mode: 0o755 });
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      const pid = Number(await readFile(noted, 'utf8').catch(() => '0'));
      if (pid > 1 && kill(-pid, 'SIGTERM')) {
        for (let times = 0; times < 50 && kill(-pid, 0); times += 1) await wait(100);
        kill(-pid, 'SIGKILL');
      }
    },
  };
}

/** False when there is none. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** @throws Error where there is none (yet): the browser has not been started. */
async function portIn(path: string): Promise<number> {
  const [port] = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  if (!port) throw new Error(`the browser was not started: ${path}`);
  return Number(port);
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'close');
}
