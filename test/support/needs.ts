import { accessSync, appendFileSync, constants, existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { newerPrograms } from './newer-programs.js';
import { repositoryRoot } from './repository.js';

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
  openssl: ['openssl'],
  strace: ['strace'],
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
  systemd: ['systemd-analyze', 'systemctl', '/lib/systemd/systemd'],
  python3: ['python3'],
  kubectl: ['kubectl'],
  man: ['man', 'groff'],
  'dpkg-deb': ['dpkg-deb', 'ldd'],
  wine: ['wine', 'wineserver'],
  'git 2.46': [newerPrograms.git],
  'go 1.24': [newerPrograms.go],
} as const satisfies Record<string, readonly string[]>;

/** Debian's packages of what has another name there. No package: `.ci/newer-programs` unpacks it. */
const packagesOf: Readonly<Partial<Record<Need, string>>> = {
  firefox: 'firefox-esr xdotool',
  'gnome-keyring': 'gnome-keyring dbus',
  kwallet: 'libkf5wallet-bin libqca-qt5-2-plugins',
  'secret-tool': 'libsecret-tools',
  'docker-credential-secretservice': 'golang-docker-credential-helpers',
  'docker-credential-pass': 'golang-docker-credential-helpers pass gnupg',
  redis: 'redis-server redis-tools',
  script: 'bsdutils',
  unshare: 'util-linux',
  ip: 'iproute2',
  sshd: 'openssh-server openssh-client',
  kubectl: 'kubernetes-client',
  man: 'man-db groff-base',
  'dpkg-deb': 'dpkg libc-bin',
  wine: 'wine wine64',
  'git 2.46': '',
  'go 1.24': '',
  root: '',
};

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
  if (notes) for (const need of missing) appendFileSync(notes, `${JSON.stringify(noteOf(need))}\n`);
  return reason;
}

/** For what only `npm run test:long` demands: here it is tried where the machine has it, and not missed. */
export function unlessAbsent(thing: Need): string | false {
  return isHere(thing) ? false : `without ${thing}: npm run test:long`;
}

/** The same for the packages that a folder of test/ has of its own, which `npm test` installs. */
export function needsPackages(
  folder: 'clients' | 'conformance' | 'native' | 'nodes' | 'programs' | 'windows',
): string | false {
  if (existsSync(join(repositoryRoot, 'test', folder, 'node_modules', '.installed-lock'))) return false;
  const reason = `the packages of test/${folder} are not installed`;
  if (process.env['POSTERN_REQUIRE_ALL'] === '1') throw new Error(reason);
  return reason;
}

function noteOf(need: Need) {
  const packages = (packagesOf[need] ?? need).split(' ').filter(Boolean);
  const [, file] = /\/build\/test\/(\S+)\.test\.js/.exec(new Error().stack ?? '') ?? [];
  return { need, packages, file };
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
