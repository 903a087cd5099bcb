import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { callService, lookupItem } from './keyring-queries.js';
import { startSessionBus } from './session-bus.js';
import { temporaryFolder } from './temporary.js';

/** A real Secret Service that is not gnome-keyring, on a session bus of its own, with a home of its own. */
export interface OtherService extends AsyncDisposable {
  /** What a program needs to reach it: `DBUS_SESSION_BUS_ADDRESS`. */
  readonly env: Readonly<Record<string, string>>;
  /** Its home; its files lie below. */
  readonly folder: string;
  /** The secret that it holds for this account of service `postern`, as `secret-tool` finds it. */
  lookup(account: string): Promise<string | undefined>;
}

export interface KWallet extends OtherService {
  /** As the person does in its window. */
  close(): Promise<void>;
  /** As logging in to the desktop does (pam_kwallet), after that: its Secret Service calls it locked all the same. */
  openAtLogin(): Promise<void>;
}

/** `not-started`: it is installed, and the bus would start it under its own name alone, as in Debian 12. */
export type KWalletState = 'opened-at-login' | 'closed' | 'no-wallet' | 'not-started';

/**
 * `asking`: with its own settings, so that a person is asked before each item is read or removed. `shows-nothing`: without
 * a database. `not-a-service`: with that switched off, which it is at first.
 */
export type KeePassXCState = 'open' | 'asking' | 'locked' | 'shows-nothing' | 'not-a-service';

const run = promisify(execFile);

/** What was opened so far: closed at the end of the scope, the last first, unless it was handed over. */
class Opened implements AsyncDisposable {
  #closers: (() => PromiseLike<void>)[] = [];

  add(close: () => PromiseLike<void>): void {
    this.#closers.unshift(close);
  }

  handOver(): () => Promise<void> {
    const closers = this.#closers;
    this.#closers = [];
    return async () => {
      for (const close of closers) await close();
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handOver()();
  }
}

/** Starts KWallet without a display: what it asks is shown to nobody. */
export async function startKWallet(state: KWalletState): Promise<KWallet> {
  const service = 'org.kde.kwalletd5';
  await using opened = new Opened();
  const { folder, env } = await startBus(opened, state === 'not-started' ? { [service]: '/usr/bin/kwalletd5' } : {});
  const call = async (method: string, ...args: readonly string[]): Promise<string> => {
    const target = ['/modules/kwalletd5', `org.kde.KWallet.${method}`, ...args];
    return (await run('dbus-send', ['--session', '--print-reply', `--dest=${service}`, ...target], { env })).stdout;
  };
  const isOpen = async () => (await call('isOpen', 'string:kdewallet')).includes('true');
  const openAtLogin = async (): Promise<void> => {
    const key = Array.from({ length: 56 }, (_, at) => at).join(','); // of the length that pam_kwallet makes of a password
    await call('pamOpen', 'string:kdewallet', `array:byte:${key}`, 'int32:0');
    await until(isOpen);
  };
  const start = (): Promise<ChildProcess> => startService(opened, env, 'kwalletd5', []);
  if (state !== 'not-started') {
    const first = await start();
    if (state !== 'no-wallet') {
      await openAtLogin();
      await until(async () => existsSync(join(folder, '.local', 'share', 'kwalletd', 'kdewallet.kwl')));
      await ended(first); // it shows a wallet only where that was there when it started
      await start();
      if (state === 'opened-at-login') await openAtLogin();
    }
  }
  const close = opened.handOver();
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: env.DBUS_SESSION_BUS_ADDRESS },
    folder,
    lookup: (account) => lookupItem(env, account),
    close: async () => {
      await call('close', 'string:kdewallet', 'boolean:true');
      await until(async () => !(await isOpen()));
    },
    openAtLogin,
    [Symbol.asyncDispose]: close,
  };
}

const password = 'password-of-the-test-database';

/** Starts KeePassXC without a display: what it asks is shown to nobody. */
export async function startKeePassXC(state: KeePassXCState): Promise<OtherService> {
  await using opened = new Opened();
  const { folder, env } = await startBus(opened, {});
  const asks = state === 'asking';
  const settings = [
    '[General]\nConfigVersion=2',
    `[FdoSecrets]\nEnabled=${state !== 'not-a-service'}`,
    ...(asks ? [] : ['ConfirmAccessItem=false\nConfirmDeleteItem=false']),
  ];
  await mkdir(join(folder, '.config', 'keepassxc'), { recursive: true });
  await writeFile(join(folder, '.config', 'keepassxc', 'keepassxc.ini'), settings.join('\n'));
  const database = await makeDatabase(folder, env);
  const isOpen = state !== 'locked';
  const args = state === 'shows-nothing' ? [] : [...(isOpen ? ['--pw-stdin'] : []), database];
  const name = state === 'not-a-service' ? 'org.keepassxc.KeePassXC.MainWindow' : undefined;
  await startService(opened, env, 'keepassxc', args, { input: isOpen ? `${password}\n` : '', name });
  if (state === 'open' || asks || state === 'locked') {
    await until(async () => (await callService(env, 'ReadAlias', 'string:default')).includes('/collection/'));
    // It shows a database before it has opened it.
    if (isOpen) await until(async () => !(await isDefaultLocked(env)));
  }
  const close = opened.handOver();
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: env.DBUS_SESSION_BUS_ADDRESS },
    folder,
    lookup: (account) => lookupItem(env, account),
    [Symbol.asyncDispose]: close,
  };
}

async function isDefaultLocked(env: NodeJS.ProcessEnv): Promise<boolean> {
  const target = ['--dest=org.freedesktop.secrets', '/org/freedesktop/secrets/aliases/default'];
  const property = ['string:org.freedesktop.Secret.Collection', 'string:Locked'];
  const get = ['--session', '--print-reply', ...target, 'org.freedesktop.DBus.Properties.Get', ...property];
  return (await run('dbus-send', get, { env })).stdout.includes('boolean true');
}

/** A database whose root group is shown to other programs. */
async function makeDatabase(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const id = randomBytes(16);
  const group = id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '{$1-$2-$3-$4-$5}');
  const shown = `<Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>${group}</Value></Item>`;
  const root = `<Group><UUID>${id.toString('base64')}</UUID><Name>Root</Name></Group>`;
  const xml = join(folder, 'passwords.xml');
  await writeFile(xml, `<KeePassFile><Meta><CustomData>${shown}</CustomData></Meta><Root>${root}</Root></KeePassFile>`);
  const database = join(folder, 'passwords.kdbx');
  const child = spawn('keepassxc-cli', ['import', '--set-password', xml, database], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end(`${password}\n${password}\n`);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`keepassxc-cli: exit ${code}`);
  return database;
}

async function startBus(opened: Opened, services: Readonly<Record<string, string>>) {
  const temporary = await temporaryFolder();
  opened.add(() => temporary[Symbol.asyncDispose]());
  const folder = temporary.path;
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: folder,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    TMPDIR: join(folder, 'run'), // KeePassXC looks there whether it runs already
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'bus')}`,
    QT_QPA_PLATFORM: 'offscreen',
  };
  await mkdir(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  const activation = { activation: false, deafPrompter: false, services };
  const bus = await startSessionBus(folder, env.DBUS_SESSION_BUS_ADDRESS, env, activation);
  opened.add(() => bus[Symbol.asyncDispose]());
  return { folder, env };
}

/** @param name What it owns on the bus once it runs. */
async function startService(
  opened: Opened,
  env: NodeJS.ProcessEnv,
  program: string,
  args: readonly string[],
  { input = '', name = 'org.freedesktop.secrets' }: { input?: string; name?: string | undefined } = {},
): Promise<ChildProcess> {
  const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'ignore'] });
  opened.add(() => ended(child));
  child.stdin.end(input);
  const target = ['--dest=org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus.NameHasOwner'];
  await until(async () => {
    const { stdout } = await run('dbus-send', ['--session', '--print-reply', ...target, `string:${name}`], { env });
    return stdout.includes('true');
  });
  return child;
}

/** KeePassXC ends only so. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

/** There is no event to wait for. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await holds()) return;
    await wait(25);
  }
  throw new Error('the service did not get ready');
}
