import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { needs } from './needs.js';

const inside = 'POSTERN_TEST_INSIDE_USER_MANAGER';

/** What `XDG_RUNTIME_DIR` is in there. */
export const runtimeFolder = '/run/user/0';

/**
 * Runs the rest of the test file that calls it where a real `systemd --user` can run: with a network, processes, control
 * groups and a /run of its own. To be called at the top of the file, before its first test.
 * @returns the value for `node:test`'s `skip` option
 */
export function enterUserManagerGround(): string | false {
  const skip = needs('unshare', 'root', 'ip', 'systemd');
  if (skip !== false || process.env[inside] === '1') return skip;
  const commands = [
    'ip link set lo up',
    'mount -t tmpfs none /run',
    'mkdir -p /run/systemd/system', // it asks whether the system runs on systemd
    `mkdir -p -m 700 ${runtimeFolder}`,
    'mount -t cgroup2 none /sys/fs/cgroup',
    'exec "$@"',
  ];
  const { status } = spawnSync(
    'setpriv',
    [
      ...['--pdeathsig', 'KILL', 'unshare', '--net', '--mount', '--pid', '--fork', '--cgroup', '--mount-proc'],
      ...['sh', '-ec', commands.join('\n'), 'sh', process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    ],
    { stdio: 'inherit', env: { ...process.env, [inside]: '1' } },
  );
  process.exit(status ?? 1);
}

/** A user's manager, as a session begins it. */
export interface UserManager extends AsyncDisposable {
  /** What `systemctl --user` says. */
  systemctl(...words: readonly string[]): string;
}

/** Starts the manager of a home, and waits until it has begun all that is enabled there. */
export async function startUserManager(env: Readonly<Record<string, string>>): Promise<UserManager> {
  if (process.env[inside] !== '1') throw new Error('This is the whole machine.');
  mkdirSync(runtimeFolder, { recursive: true, mode: 0o700 });
  const own = { ...env, XDG_RUNTIME_DIR: runtimeFolder };
  const child = spawn('/lib/systemd/systemd', ['--user', '--log-target=console', '--log-level=warning'], {
    env: own,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const systemctl = (...words: readonly string[]) => {
    const { stdout, stderr } = spawnSync('systemctl', ['--user', '--no-pager', ...words], {
      env: own,
      encoding: 'utf8',
    });
    return `${stdout}${stderr}`.trim();
  };
  for (let tries = 0; !/^(?:running|degraded)$/m.test(systemctl('is-system-running')); tries += 1) {
    if (tries > 300) throw new Error(`The user’s systemd does not run: ${systemctl('is-system-running')}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    systemctl,
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      systemctl('exit');
      await ended;
    },
  };
}
