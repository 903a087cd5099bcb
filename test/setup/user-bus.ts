import type { Home } from '../support/home.js';
import { type Finished, startCommand } from '../support/program.js';

/**
 * Runs a command where the test's session bus is the user bus of its platform, `/run/user/<uid>/bus`: for programs
 * that leave their children no variable that would name it. In a mount namespace of its own, which takes root.
 */
export async function runWithUserBus(home: Home, command: readonly string[]): Promise<Finished> {
  const bus = (home.env['DBUS_SESSION_BUS_ADDRESS'] ?? '').replace(/^unix:path=/, '');
  const script =
    'mount -t tmpfs none /run && mkdir -p -m 700 "/run/user/$(id -u)" && ln -s "$0" "/run/user/$(id -u)/bus" && exec "$@"';
  await using running = startCommand('unshare', ['--mount', 'sh', '-c', script, bus, ...command], home);
  running.stdin.end();
  return await running.finished;
}
