import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import type { Home, Variables } from './home.js';

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

const longestWaitMs = 60_000;

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
  const attached = lazy(async () => {
    const [port] = (await fileOf(join(profile, 'DevToolsActivePort'))).split('\n');
    const [context] = (await chromium.connectOverCDP(`http://127.0.0.1:${port}`)).contexts();
    if (context === undefined) throw new Error('Chromium has no window');
    return context;
  });
  const find = async (selector: string) => {
    for (const page of (await attached()).pages()) {
      const found = await page.$(selector).catch(() => null);
      if (found !== null) return found;
    }
    return undefined;
  };
  return {
    path: started.path,
    isShown: (selector) => until(`not shown: ${selector}`, async () => (await find(selector)) !== undefined),
    click: (selector) =>
      until(`not there to be clicked: ${selector}`, async () => {
        const found = await find(selector);
        // Without a wait for where it leads: the window may be gone by then.
        await found?.click({ noWaitAfter: true });
        return found !== undefined;
      }),
    sees: async (title) => {
      let shown = '';
      const look = async () => {
        const pages = (await attached()).pages();
        const titles = await Promise.all(pages.map((page) => page.title().catch(() => '')));
        shown = pages.map((page, at) => `${titles[at]} (${page.url()})`).join(', ');
        return titles.some((each) => each.startsWith(title));
      };
      await until(`no page is called ${title}`, look).catch((error: Error) => {
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
  const attached = lazy(async () => {
    const send = await marionette(Number(await fileOf(join(profile, 'MarionetteActivePort'))));
    await send('WebDriver:NewSession', {});
    return send;
  });
  const find = async (selector: string): Promise<unknown> => {
    const asked = { using: 'css selector', value: selector };
    const found = await (await attached())('WebDriver:FindElement', asked).catch(() => undefined);
    return Object.values(found?.['value'] ?? {})[0];
  };
  return {
    path: started.path,
    isShown: (selector) => until(`not shown: ${selector}`, async () => (await find(selector)) !== undefined),
    click: (selector) =>
      until(`not there to be clicked: ${selector}`, async () => {
        const id = await find(selector);
        // Its answer may never come: the page goes to another process.
        if (id !== undefined) void (await attached())('WebDriver:ElementClick', { id }).catch(() => undefined);
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

type Marionette = (command: string, parameters: object) => Promise<Record<string, object>>;

/** Firefox' own remote control: `<length>:[type, id, …]` each way over TCP. */
async function marionette(port: number): Promise<Marionette> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const waiting = new Map<number, (message: [0 | 1, number, object | null, Record<string, object>]) => void>();
  let received = Buffer.alloc(0);
  let latest = 0;
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.toString('latin1', 0, colon));
      if (colon === -1 || received.length < end) return;
      const message = JSON.parse(received.toString('utf8', colon + 1, end));
      received = received.subarray(end);
      if (Array.isArray(message)) waiting.get(message[1])?.(message as never);
    }
  });
  await once(socket, 'connect');
  return (command, parameters) =>
    new Promise((resolve, reject) => {
      latest += 1;
      const text = JSON.stringify([0, latest, command, parameters]);
      waiting.set(latest, ([, , error, result]) =>
        error === null ? resolve(result) : reject(new Error(JSON.stringify(error))),
      );
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
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
        await until('', async () => !kill(-pid, 0), 5_000).catch(() => kill(-pid, 'SIGKILL'));
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

function fileOf(path: string): Promise<string> {
  let text = '';
  return until(`the browser was not started: ${path}`, async () => {
    text = await readFile(path, 'utf8').catch(() => '');
    return text !== '';
  }).then(() => text);
}

/** Looks again and again: browsers tell nobody when they are ready. */
async function until(complaint: string, look: () => Promise<boolean>, ms = longestWaitMs): Promise<void> {
  const end = Date.now() + ms;
  while (!(await look())) {
    if (Date.now() > end) throw new Error(complaint);
    await wait(100);
  }
}

function lazy<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'close');
}
