import { existsSync } from 'node:fs';

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
