import { accessSync, appendFileSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { newerPrograms } from './newer-programs.js';

/** What a test may need of the machine beyond Node.js, and the programs that show it is there. */
const programsOf = {
  chromium: ['chromium'],
  firefox: ['firefox-esr', 'xdotool'],
  xvfb: ['Xvfb'],
  'gnome-keyring': ['gnome-keyring-daemon', 'dbus-run-session'],
  kwallet: ['kwalletd5', 'dbus-daemon'],
  keepassxc: ['keepassxc', 'keepassxc-cli', 'dbus-daemon'],
  dbus: ['dbus-daemon', 'dbus-run-session'],
  'secret-tool': ['secret-tool'],
  'docker-credential-secretservice': ['docker-credential-secretservice'],
  'docker-credential-pass': ['docker-credential-pass', 'pass', 'gpg', 'gpgconf'],
  redis: ['redis-server', 'redis-cli', 'redis-benchmark'],
  etcd: ['etcd', 'etcdctl'],
  openssl: ['openssl'],
  git: ['git'],
  script: ['script'],
  unshare: ['unshare', 'setpriv'],
  ip: ['ip'],
  curl: ['curl'],
  sshd: ['/usr/sbin/sshd', 'ssh'],
  sh: ['sh'],
  bash: ['bash'],
  dash: ['dash'],
  zsh: ['zsh'],
  fish: ['fish'],
  systemd: ['systemd-analyze', 'systemd-socket-activate', 'systemctl', '/lib/systemd/systemd'],
  python3: ['python3'],
  kubectl: ['kubectl'],
  man: ['man', 'groff'],
  'dpkg-deb': ['dpkg-deb', 'ldd'],
  wine: ['wine', 'wineserver'],
  'git 2.46': [newerPrograms.git],
  'go 1.24': [newerPrograms.go],
} as const satisfies Record<string, readonly string[]>;

/** `root`: rights that only root has, e.g. to mount. */
export type Need = keyof typeof programsOf | 'root';

/**
 * The value for `node:test`'s `skip` option: false when everything named is on this machine, else the
 * reason. What is left out is noted in the file named by `POSTERN_SKIPS`, so that the run's summary
 * can say it loudly. With `POSTERN_REQUIRE_ALL=1` (CI) it throws instead: nothing is left out there but what
 * `POSTERN_ALLOW_MISSING` (names with commas between) says could not be had.
 */
export function needs(...things: readonly Need[]): string | false {
  const missing = things.filter((thing) => !isHere(thing));
  if (missing.length === 0) return false;
  const reason = `not on this machine: ${missing.join(', ')}`;
  const allowed = (process.env['POSTERN_ALLOW_MISSING'] ?? '').split(',');
  const mayLack = missing.every((thing) => allowed.includes(thing));
  if (process.env['POSTERN_REQUIRE_ALL'] === '1' && !mayLack) throw new Error(reason);
  const notes = process.env['POSTERN_SKIPS'];
  if (notes) appendFileSync(notes, `${JSON.stringify({ missing, file: process.argv[1] })}\n`);
  return reason;
}

function isHere(thing: Need): boolean {
  return thing === 'root' ? process.getuid?.() === 0 : programsOf[thing].every(isOnPath);
}

function isOnPath(program: string): boolean {
  const folders = isAbsolute(program) ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
