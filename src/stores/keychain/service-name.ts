import type { BusConnection } from './bus-connection.js';
import type { BusValue, MethodCall } from './bus-messages.js';

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

/** Of an open keyring these give what is asked for, and ask nobody. */
export const asksNoMore: ReadonlySet<ServiceName> = new Set(['gnome-keyring', 'kwallet']);

export interface FoundService {
  readonly name: ServiceName;
  /** False: it is no Secret Service now, but runs, or could be started, and could be one. */
  readonly isServing: boolean;
}

/**
 * Which program is the Secret Service. The bus itself is asked, which responds where a service hangs. Never rejects. The
 * commonest is asked about first: all the names at once take a hundredth of a refresh.
 */
export async function askServiceName(bus: BusConnection): Promise<FoundService> {
  const ownerOf = async (name: string) => firstValue(await bus.call(busCall('GetNameOwner', name)));
  const [[commonest, commonestName] = ['', 'none'] as const, ...lessCommon] = ownNames;
  const [service, owner] = await Promise.all([ownerOf('org.freedesktop.secrets'), ownerOf(commonest)]);
  if (service !== undefined && owner === service) return { name: commonestName, isServing: true };
  const startable = bus.call(busCall('ListActivatableNames'));
  const others = [owner, ...(await Promise.all(lessCommon.map(([name]) => ownerOf(name))))];
  const found = ownNames.find((_, at) => others[at] !== undefined && (others[at] === service || service === undefined));
  if (service !== undefined) return { name: found?.[1] ?? 'other', isServing: true };
  const names = firstValue(await startable);
  const isStartable = Array.isArray(names) ? ownNames.find(([name]) => names.includes(name)) : undefined;
  return { name: found?.[1] ?? isStartable?.[1] ?? 'none', isServing: false };
}

/**
 * Is the default wallet open in KWallet, though its Secret Service calls it locked? That is so from the login to the
 * desktop until a program first asks for it; KWallet then shows no prompt.
 */
export async function isWalletOpen(bus: BusConnection): Promise<boolean> {
  const name = firstValue(await bus.call(labelOfDefault));
  if (typeof name !== 'string') return false;
  const responses = ['kwalletd5', 'kwalletd6'].map((daemon) =>
    bus.call({
      destination: 'org.freedesktop.secrets',
      path: `/modules/${daemon}`,
      interface: 'org.kde.KWallet',
      member: 'isOpen',
      arguments: [{ type: 's', text: name }],
    }),
  );
  return (await Promise.all(responses)).some((response) => firstValue(response) === true);
}

/** Of a response that is no error. */
function firstValue(response: Awaited<ReturnType<BusConnection['call']>>): BusValue | undefined {
  return typeof response === 'string' ? undefined : response.values[0];
}

const labelOfDefault: MethodCall = {
  destination: 'org.freedesktop.secrets',
  path: '/org/freedesktop/secrets/aliases/default',
  interface: 'org.freedesktop.DBus.Properties',
  member: 'Get',
  arguments: [
    { type: 's', text: 'org.freedesktop.Secret.Collection' },
    { type: 's', text: 'Label' },
  ],
};

function busCall(member: string, ...texts: readonly string[]): MethodCall {
  return {
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member,
    arguments: texts.map((text) => ({ type: 's', text })),
  };
}
