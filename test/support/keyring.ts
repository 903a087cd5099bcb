import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { callService, type KeyringItem, keyringItems, lockLogin, lookupItem } from './keyring-queries.js';
import { startSessionBus } from './session-bus.js';
import { temporaryFolder } from './temporary.js';

/** `activatable`: nothing runs yet, the bus starts the service when it is asked for. */
export type KeyringState =
  | 'unlocked'
  | 'locked'
  | 'no-default-collection'
  | 'no-service'
  | 'activatable'
  | 'paused'
  /** Locked, and its prompt is shown to nobody: whoever asks for it waits for ever. */
  | 'unanswered-prompt';

/** A real gnome-keyring on a session bus of its own, with a home of its own. */
export interface Keyring extends AsyncDisposable {
  /** What a program needs to reach it: `DBUS_SESSION_BUS_ADDRESS`. */
  readonly env: Readonly<Record<string, string>>;
  /** Its home; the sealed keyring files lie below. */
  readonly folder: string;
  /** The secret that the service holds for this account of service `postern`, as `secret-tool` finds it. */
  lookup(account: string): Promise<string | undefined>;
  /** Every item of service `postern`; empty when there is none. */
  items(): Promise<readonly KeyringItem[]>;
  lock(): Promise<void>;
  /** By a restart with the password, as `--replace --unlock` does. */
  unlock(): Promise<void>;
  /** Runs a command with the keyring's password on its stdin, to its end. */
  typePassword(command: readonly string[]): Promise<void>;
  /** SIGSTOP: takes calls and never answers. */
  pause(): void;
  resume(): void;
  /** SIGKILL, and waits for its end. */
  killService(): Promise<void>;
  startService(): Promise<void>;
  /**
   * Has the service ended by itself since this was last asked? It does, rarely, when the first thing that a new client
   * asks is OpenSession, as the native package does. It is started anew, as a desktop's is.
   */
  revive(): Promise<boolean>;
}

const password = 'password-of-the-test-keyring';

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
  const bus = await startSessionBus(folder.path, address, env, {
    activation: state === 'activatable',
    deafPrompter: state === 'unanswered-prompt',
  });
  const daemon = new Daemon(env);
  const keyring: Keyring = {
    env: { DBUS_SESSION_BUS_ADDRESS: address },
    folder: folder.path,
    lookup: (account) => lookupItem(env, account),
    items: () => keyringItems(env),
    lock: () => lockLogin(env),
    unlock: async () => {
      await daemon.kill();
      await daemon.start(true);
    },
    typePassword: async ([program = '', ...args]) => {
      const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.end(password);
      await once(child, 'exit');
      await daemon.isReady('/org/freedesktop/secrets/collection/login');
    },
    pause: () => daemon.signal('SIGSTOP'),
    resume: () => daemon.signal('SIGCONT'),
    killService: () => daemon.kill(),
    startService: () => daemon.start(true),
    revive: () => daemon.revive(),
    [Symbol.asyncDispose]: async () => {
      await daemon.kill();
      await bus[Symbol.asyncDispose]();
      await endPrompter(folder.path);
      await folder[Symbol.asyncDispose]();
    },
  };
  if (state !== 'no-service' && state !== 'activatable') await daemon.start(state !== 'no-default-collection');
  if (state === 'locked' || state === 'unanswered-prompt') await keyring.lock();
  if (state === 'paused') keyring.pause();
  return keyring;
}

class Daemon {
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #hasCrashed = false;
  #restarting: Promise<void> | undefined;

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
    child.on('exit', (_code, signal) => {
      if (signal !== 'SIGTRAP') return; // GLib's end of a program
      this.#hasCrashed = true;
      this.#restarting = this.start(unlocked);
    });
    await this.isReady(unlocked ? '/org/freedesktop/secrets/collection/login' : '/');
  }

  /** The service answers, and this is its default collection. */
  async isReady(collection: string): Promise<void> {
    const wanted = `"${collection}"`;
    await until(async () => {
      const answer = await callService(this.#env, 'ReadAlias', 'string:default');
      return answer.includes(wanted);
    });
  }

  /** One call first: what the last client's end does to it is done by then. */
  async revive(): Promise<boolean> {
    await callService(this.#env, 'ReadAlias', 'string:default');
    await this.#restarting;
    const hasCrashed = this.#hasCrashed;
    this.#hasCrashed = false;
    return hasCrashed;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    await this.#restarting;
    if (this.#child !== undefined) await ended(this.#child, 'SIGKILL');
  }
}

/** The bus started it, so that it is nobody's child here. */
async function endPrompter(folder: string): Promise<void> {
  const pid = Number(await readFile(join(folder, 'prompter.pid'), 'utf8').catch(() => ''));
  if (pid > 0) process.kill(pid, 'SIGKILL');
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
