import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from './needs.js';

const inside = 'POSTERN_TEST_INSIDE_OWN_NETWORK';

/** Addresses by name. */
export type Hosts = Readonly<Record<string, readonly string[]>>;

/**
 * Runs the rest of the test file that calls it in a network namespace of its own, which has a loopback device and
 * nothing else: no packet leaves it, and addresses of any range can be listened on there. To be called at the top of
 * the file, before its first test. The names are those of a hosts file, looked up by the operating system.
 * @param hosts addresses by name; every address is one of this machine in there
 * @returns the value for `node:test`'s `skip` option
 */
export function enterOwnNetwork(hosts: Hosts): string | false {
  const skip = needs('unshare', 'root', 'ip');
  if (skip !== false || process.env[inside] === '1') return skip;
  const folder = mkdtempSync(join(tmpdir(), 'postern-test-hosts-'));
  const hostsFile = join(folder, 'hosts');
  writeFileSync(hostsFile, textOf(hosts));
  const own = [...new Set(Object.values(hosts).flat())].filter((address) => !/^(?:127\.|::1$)/.test(address));
  const commands = [
    'ip link set lo up',
    ...own.map((address) => `ip address add ${address}/${address.includes(':') ? '128 nodad' : '32'} dev lo`),
    `mount --bind '${hostsFile}' /etc/hosts`,
    'exec "$@"',
  ];
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  // The signal of death: a runner that ends this process ends the one in the namespace, too.
  const { status } = spawnSync(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', '--net', '--mount', 'sh', '-ec', commands.join('\n'), 'sh', ...command],
    { stdio: 'inherit', env: { ...process.env, [inside]: '1' } },
  );
  rmSync(folder, { recursive: true });
  process.exit(status ?? 1);
}

/** From now on the names lead there, in a network that `enterOwnNetwork` has made; every address has to be one of its own. */
export function renameHosts(hosts: Hosts): void {
  if (process.env[inside] !== '1') throw new Error('These are the names of the whole machine.');
  writeFileSync('/etc/hosts', textOf(hosts));
}

function textOf(hosts: Hosts): string {
  const lines = Object.entries(hosts).flatMap(([name, addresses]) =>
    addresses.map((address) => `${address} ${name}\n`),
  );
  return `127.0.0.1 localhost\n::1 localhost\n${lines.join('')}`;
}
