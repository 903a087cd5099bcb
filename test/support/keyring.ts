import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary.js';

/** `activatable`: nothing runs yet, the bus starts the service when it is asked for. */
export type KeyringState =
  | 'unlocked'
  | 'locked'
  | 'no-default-collection'
  | 'no-service'
  | 'activatable'
  | 'paused';

export interface KeyringItem {
  /** The attribute `username`. */
  readonly account: string;
  readonly secret: string;
  /** Its label and every attribute, as `secret-tool search` prints them: what can be read while it is locked. */
  readonly shown: string;
}

/** A real gnome-keyring on a session bus of its own, with a home of its own. */
export interface Keyring extends AsyncDisposable {
  /** What a program needs to reach it: `DBUS_SESSION_BUS_ADDRESS`. */
  readonly env: Readonly<Record<string, string>>;
  /** Its home; the sealed keyring files lie below. */
  readonly folder: string;
  readonly busPid: number;
  /** The secret that the service holds for this account of service `postern`, as `secret-tool` finds it. */
  lookup(account: string): Promise<string | undefined>;
  /** Every item of service `postern`; empty when there is none. */
  items(): Promise<readonly KeyringItem[]>;
  lock(): Promise<void>;
  unlock(): Promise<void>;
  /** SIGSTOP: takes calls and never answers. */
  pause(): void;
  resume(): void;
  /** SIGKILL, and waits for its end. */
  killService(): Promise<void>;
  startService(): Promise<void>;
}

const run = promisify(execFile);
const password = 'password-of-the-test-keyring';
const service = 'org.freedesktop.secrets';

/** Runs `use` with a keyring in the given state; everything started ends with it. */
export async function withKeyring<T>(
  use: (env: Readonly<Record<string, string>>, keyring: Keyring) => Promise<T>,
  state: KeyringState = 'unlocked',
): Promise<T> {
  await using keyring = await startKeyring(state);
  return await use(keyring.env, keyring);
}

/** Starts a bus and a keyring in the given state. Works as root and without a display. */
export async function startKeyring(state: KeyringState = 'unlocked'): Promise<Keyring> {
  const folder = await temporaryFolder();
  const address = `unix:path=${join(folder.path, 'bus')}`;
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: folder.path,
    XDG_RUNTIME_DIR: join(folder.path, 'run'),
    DBUS_SESSION_BUS_ADDRESS: address,
  };
  await mkdir(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  const bus = await startBus(folder.path, address, env, state === 'activatable');
  const daemon = new Daemon(env);
  const keyring: Keyring = {
    env: { DBUS_SESSION_BUS_ADDRESS: address },
    folder: folder.path,
    busPid: bus.pid ?? -1,
    lookup: (account) => lookup(env, account),
    items: () => items(env),
    lock: () => lockLogin(env),
    unlock: () => daemon.unlock(),
    pause: () => daemon.signal('SIGSTOP'),
    resume: () => daemon.signal('SIGCONT'),
    killService: () => daemon.kill(),
    startService: () => daemon.start(true),
    [Symbol.asyncDispose]: async () => {
      await daemon.kill();
      await ended(bus, 'SIGKILL');
      await folder[Symbol.asyncDispose]();
    },
  };
  if (state !== 'no-service' && state !== 'activatable') {
    await daemon.start(state !== 'no-default-collection');
  }
  if (state === 'locked') await keyring.lock();
  if (state === 'paused') keyring.pause();
  return keyring;
}

class Daemon {
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** With `unlocked`, its login keyring is made if need be, and open. */
  async start(unlocked: boolean): Promise<void> {
    const args = ['--foreground', '--components=secrets', ...(unlocked ? ['--unlock'] : [])];
    const child = spawn('gnome-keyring-daemon', args, {
      env: this.#env,
      stdio: [unlocked ? 'pipe' : 'ignore', 'ignore', 'ignore'],
    });
    child.stdin?.end(password);
    this.#child = child;
    const wanted = unlocked ? '/org/freedesktop/secrets/collection/login' : '/';
    await until(async () => (await call(this.#env, 'ReadAlias', 'string:default')).includes(`"${wanted}"`));
  }

  /** As a desktop's login does: a second program hands the password to the daemon that runs. */
  async unlock(): Promise<void> {
    const child = spawn('gnome-keyring-daemon', ['--unlock', '--components=secrets'], {
      env: { ...this.#env, GNOME_KEYRING_CONTROL: join(this.#env['XDG_RUNTIME_DIR'] ?? '', 'keyring') },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.stdin?.end(password);
    await once(child, 'close');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.#child !== undefined) await ended(this.#child, 'SIGKILL');
  }
}

async function startBus(
  folder: string,
  address: string,
  env: NodeJS.ProcessEnv,
  activation: boolean,
): Promise<ChildProcess> {
  const config = join(folder, 'bus.conf');
  const services = activation ? '<standard_session_servicedirs/>' : '';
  await writeFile(
    config,
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>${address}</listen><auth>EXTERNAL</auth>${services}
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`,
  );
  const bus = spawn('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address=1'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(bus.stdout as NodeJS.ReadableStream, 'data'); // it listens
  return bus;
}

/** One call of the Secret Service by `dbus-send`; empty when it fails. */
async function call(env: NodeJS.ProcessEnv, method: string, argument: string): Promise<string> {
  const target = ['/org/freedesktop/secrets', `org.freedesktop.Secret.Service.${method}`, argument];
  const args = ['--session', '--print-reply', '--reply-timeout=5000', `--dest=${service}`, ...target];
  return await run('dbus-send', args, { env }).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

async function lockLogin(env: NodeJS.ProcessEnv): Promise<void> {
  const login = '/org/freedesktop/secrets/collection/login';
  const locked = await call(env, 'Lock', `array:objpath:${login}`);
  if (!locked.includes(login)) throw new Error('the keyring was not locked');
}

async function lookup(env: NodeJS.ProcessEnv, account: string): Promise<string | undefined> {
  const args = ['lookup', 'service', 'postern', 'username', account];
  return await run('secret-tool', args, { env, maxBuffer: 16_777_216 }).then(
    ({ stdout }) => stdout,
    (error: { readonly stderr?: string }) => {
      if (error.stderr === '') return undefined; // no such item
      throw error;
    },
  );
}

async function items(env: NodeJS.ProcessEnv): Promise<KeyringItem[]> {
  // Attributes are printed on stderr, the rest on stdout; an account stands once for each item.
  const { stderr } = await run('secret-tool', ['search', '--all', 'service', 'postern'], { env });
  const accounts = [...stderr.matchAll(/^attribute\.username = (.*)$/gm)].map(([, account]) => account ?? '');
  return await Promise.all(
    accounts.map(async (account) => {
      const one = await run('secret-tool', ['search', 'service', 'postern', 'username', account], { env });
      const shown = `${one.stdout.replace(/^secret = .*$/m, '')}${one.stderr}`;
      return { account, secret: (await lookup(env, account)) ?? '', shown };
    }),
  );
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}

/** There is no event to wait for: the service appears on the bus some time after its process. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await holds()) return;
    await wait(25);
  }
  throw new Error('the keyring did not get ready');
}
