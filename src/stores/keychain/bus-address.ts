import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** Where the session bus may listen, in the order in which to try. */
export interface BusAddress {
  /** Paths of Unix sockets; an abstract one begins with NUL. */
  readonly sockets: readonly string[];
  /** True when there also is an address of a kind not spoken here (TCP, a command). */
  readonly others: boolean;
}

/**
 * The variable that leads to the user bus, for an environment that does not have it: some programs start their helpers
 * with next to nothing. The bus is in the folder of the runtime, which pam_systemd makes at `/run/user/<number>`; the
 * keychain's package knows nothing of either.
 */
export function withSessionBus(
  env: Readonly<Record<string, string | undefined>>,
  user: number | undefined,
): Readonly<Record<string, string>> {
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== '' || user === undefined) return {};
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  const bus = `${runtime.startsWith('/') ? runtime : `/run/user/${user}`}/bus`;
  return existsSync(bus) ? { DBUS_SESSION_BUS_ADDRESS: `unix:path=${escaped(bus)}` } : {};
}

function escaped(path: string): string {
  return path.replace(/[^-\w/.]+/g, (rest) => Buffer.from(rest).toString('hex').replace(/../g, '%$&'));
}

/**
 * The addresses of the D-Bus session bus (D-Bus specification, "Server Addresses"): the environment's, else the
 * user bus in `XDG_RUNTIME_DIR`, which is where libdbus looks, too.
 */
export function sessionBusAddress(env: Readonly<Record<string, string | undefined>>): BusAddress {
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  const userBus = runtime.startsWith('/') ? [`${runtime}/bus`] : [];
  const listed = (env['DBUS_SESSION_BUS_ADDRESS'] ?? '').split(';').filter((address) => address !== '');
  if (listed.length === 0) return { sockets: userBus, others: false };
  const found = listed.map((address) => socketOf(address, userBus[0]));
  return { sockets: found.filter((socket) => socket !== undefined), others: found.includes(undefined) };
}

function socketOf(address: string, userBus: string | undefined): string | undefined {
  if (!address.startsWith('unix:')) return undefined;
  for (const option of address.slice('unix:'.length).split(',')) {
    const [name, value = ''] = option.split('=', 2);
    if (name === 'path') return unescaped(value);
    if (name === 'abstract') return `\0${unescaped(value)}`;
    if (name === 'runtime') return userBus;
  }
  return undefined;
}

/** Every byte may be written as %xx. */
function unescaped(value: string): string {
  const bytes = value.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/**
 * The owner of a bus’s socket: this user or root (`ours`), another or an unknown one (`foreign`), no socket
 * (`none`). Another user's bus would see every secret that is written, and could hand out logins of its own.
 * @param path of a Unix socket; an abstract one begins with NUL
 */
export function busOwner(path: string): 'ours' | 'foreign' | 'none' {
  if (path.startsWith('\0')) return abstractOwner(path.slice(1));
  const uid = uidOf(path);
  if (uid === undefined) return 'none'; // nothing can be connected to there, either
  return isOurs(uid) ? 'ours' : 'foreign';
}

function uidOf(path: string): number | undefined {
  return readOr(undefined, () => statSync(path).uid);
}

function isOurs(uid: number | undefined): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

/** An abstract socket has no file and so no owner: it is ours when one of our processes listens on it. */
function abstractOwner(name: string): 'ours' | 'foreign' | 'none' {
  const listeners = listenersAt(`@${name.replaceAll('\0', '@')}`);
  if (listeners.length === 0) return 'none';
  const sockets = new Set(listeners.map((inode) => `socket:[${inode}]`));
  for (const pid of ourProcesses()) {
    for (const link of descriptorsOf(pid)) sockets.delete(link);
    if (sockets.size === 0) return 'ours';
  }
  return 'foreign';
}

/**
 * Inodes of the sockets that listen there (proc_net(5): a flag, the inode, the path). Some versions of Node.js pad a name
 * with NUL, shown as `@`, and so reach other sockets than D-Bus does: each has to be ours.
 */
function listenersAt(path: string): readonly string[] {
  const pattern = /^\S+ \S+ \S+ ([0-9A-F]+) \S+ \S+ +(\d+) (.*)$/i;
  return textOf('/proc/net/unix')
    .split('\n')
    .map((line) => pattern.exec(line) ?? [])
    .filter(([, flags = '', , at]) => at?.replace(/@+$/, '') === path && (Number.parseInt(flags, 16) & 0x10000) !== 0)
    .map(([, , inode = '']) => inode);
}

/** Those named like a bus come first. */
function ourProcesses(): readonly string[] {
  const ours = namesIn('/proc').filter((name) => /^\d+$/.test(name) && isOurs(uidOf(`/proc/${name}`)));
  const isBus = (pid: string) => Number(textOf(`/proc/${pid}/comm`).startsWith('dbus'));
  return ours.sort((one, other) => isBus(other) - isBus(one));
}

function descriptorsOf(pid: string): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return namesIn(folder).map((name) => readOr('', () => readlinkSync(`${folder}/${name}`)));
}

function namesIn(folder: string): readonly string[] {
  return readOr([], () => readdirSync(folder));
}

function textOf(path: string): string {
  return readOr('', () => readFileSync(path, 'utf8'));
}

/** Processes end meanwhile, and some are not for us to see. */
function readOr<Found>(otherwise: Found, readIt: () => Found): Found {
  try {
    return readIt();
  } catch {
    return otherwise;
  }
}
