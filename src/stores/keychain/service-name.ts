import type { BusConnection } from './bus-connection.js';
import type { BusValue } from './bus-messages.js';
import { busCall, secretService } from './open-item.js';

/** The program that is the Secret Service of a session bus, or could be; `none`: there is none. */
export type ServiceName = 'gnome-keyring' | 'kwallet' | 'keepassxc' | 'other' | 'none';

/** What each of them owns on the bus beside `org.freedesktop.secrets`. */
const ownNames: readonly (readonly [name: string, service: ServiceName])[] = [
  ['org.gnome.keyring', 'gnome-keyring'],
  ['org.kde.kwalletd5', 'kwallet'],
  ['org.kde.kwalletd6', 'kwallet'],
  ['org.kde.secretservicecompat', 'kwallet'],
  ['org.keepassxc.KeePassXC.MainWindow', 'keepassxc'],
];

/**
 * Which program is the Secret Service; where there is none now, which one runs, or could be started, and could be it. The bus
 * itself is asked, which responds where a service hangs. Never rejects.
 */
export async function askServiceName(bus: BusConnection): Promise<ServiceName> {
  const ownerOf = async (name: string) => firstValue(await bus.call(busCall('GetNameOwner', name)));
  const startable = bus.call(busCall('ListActivatableNames'));
  const [service, ...owners] = await Promise.all(
    ['org.freedesktop.secrets', ...ownNames.map(([name]) => name)].map(ownerOf),
  );
  const found = ownNames.find((_, at) => owners[at] !== undefined && (owners[at] === service || service === undefined));
  if (found !== undefined || service !== undefined) return found?.[1] ?? 'other';
  const names = firstValue(await startable);
  return (Array.isArray(names) ? ownNames.find(([name]) => names.includes(name))?.[1] : undefined) ?? 'none';
}

/**
 * Is the default wallet open in KWallet, though its Secret Service calls it locked? That is so from the login to the
 * desktop until a program first asks for it; KWallet then shows no prompt.
 */
export async function isWalletOpen(bus: BusConnection): Promise<boolean> {
  const name = firstValue(await bus.call(secretService.labelOfDefault));
  if (typeof name !== 'string') return false;
  const responses = ['kwalletd5', 'kwalletd6'].map((daemon) =>
    bus.call({
      destination: 'org.freedesktop.secrets',
      path: `/modules/${daemon}`,
      interface: 'org.kde.KWallet',
      member: 'isOpen',
      signature: 's',
      arguments: [name],
    }),
  );
  return (await Promise.all(responses)).some((response) => firstValue(response) === true);
}

/** Of a response that is no error. */
function firstValue(response: Awaited<ReturnType<BusConnection['call']>>): BusValue | undefined {
  return typeof response === 'string' ? undefined : response.values[0];
}
