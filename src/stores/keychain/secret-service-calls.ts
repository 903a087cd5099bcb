import { type BusConnection, type BusTrouble, busCall, connectBus } from './bus-connection.js';
import type { Argument, BusMessage, BusValue, MethodCall } from './bus-messages.js';
import type { ServiceName } from './failures.js';

/** Every item of this program has this service name; with its account it is what finds it. */
export const service = 'postern';

const root = '/org/freedesktop/secrets';

const item = 'org.freedesktop.Secret.Item';

const collection = 'org.freedesktop.Secret.Collection';

/** The attributes by which an item is found: those that the native package gives it. */
function attributesOf(key: string): readonly Argument[] {
  return Object.entries({ service, username: key });
}

/** The calls of the Secret Service (freedesktop.org's Secret Storage specification) that are made here. */
export const secretService = {
  /**
   * Answered before anything else is asked on a connection: gnome-keyring (42 to 50) learns who asks a moment after it
   * takes the first call, and an OpenSession that comes in this moment ends it, with every program's keyring locked. An
   * alias that nobody has is answered without a look at who asks.
   */
  greet: call(root, 'Secret.Service', 'ReadAlias', 's', 'postern'),
  /** → object path of the collection; `/` when there is none. */
  readDefaultAlias: call(root, 'Secret.Service', 'ReadAlias', 's', 'default'),
  /** → variant with a boolean. */
  isDefaultLocked: call(`${root}/aliases/default`, 'DBus.Properties', 'Get', 'ss', collection, 'Locked'),
  /** → variant with a text. */
  labelOfDefault: call(`${root}/aliases/default`, 'DBus.Properties', 'Get', 'ss', collection, 'Label'),
  /** → variant, object path of the session. Secrets pass as they are, on a bus that only this user can read. */
  openPlainSession: call(root, 'Secret.Service', 'OpenSession', 'sv', 'plain', { type: 's', value: '' }),
  /** → object paths of the items that are open, and of those that are locked. */
  searchItems: (key: string) => call(root, 'Secret.Service', 'SearchItems', 'a{ss}', attributesOf(key)),
  /** → what is open now, and the prompt for the rest; `/`: none. */
  unlock: (path: string) => call(root, 'Secret.Service', 'Unlock', 'ao', [path]),
  /** → structure of session, parameters, secret, content type. */
  getSecret: (path: string, session: string) => call(path, 'Secret.Item', 'GetSecret', 'o', session),
  setSecret: (path: string, session: string, text: string) =>
    call(path, 'Secret.Item', 'SetSecret', '(oayays)', secretIn(session, text)),
  /** → the item; the prompt for it where that is `/`. */
  createItem: (path: string, session: string, key: string, text: string) => {
    const label = [`${item}.Label`, { type: 's', value: `keyring:${key}@postern` }];
    const attributes = [`${item}.Attributes`, { type: 'a{ss}', value: attributesOf(key) }];
    const signature = 'a{sv}(oayays)b';
    return call(path, 'Secret.Collection', 'CreateItem', signature, [label, attributes], secretIn(session, text), true);
  },
  /** → the prompt; `/`: it is done. */
  deleteItem: (path: string) => call(path, 'Secret.Item', 'Delete', ''),
  /** Ends in the signal `Completed`. */
  prompt: (path: string) => call(path, 'Secret.Prompt', 'Prompt', 's', ''),
  /** KWallet's own. → boolean. */
  isWalletOpen: (daemon: string, name: string): MethodCall => ({
    ...call(`/modules/${daemon}`, '', 'isOpen', 's', name),
    interface: 'org.kde.KWallet',
  }),
};

function secretIn(session: string, text: string): Argument {
  return [session, Buffer.alloc(0), Buffer.from(text), 'text/plain'];
}

/** The text in the response to `getSecret`. */
export function textOf([secret]: readonly BusValue[]): string | undefined {
  return Array.isArray(secret) && Buffer.isBuffer(secret[2]) ? secret[2].toString('utf8') : undefined;
}

function call(
  path: string,
  name: string,
  member: string,
  signature: string,
  ...values: readonly Argument[]
): MethodCall {
  const destination = 'org.freedesktop.secrets';
  return { destination, path, interface: `org.freedesktop.${name}`, member, signature, arguments: values };
}

/** What each service owns on the bus beside `org.freedesktop.secrets`. */
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
  const responses = ['kwalletd5', 'kwalletd6'].map((daemon) => bus.call(secretService.isWalletOpen(daemon, name)));
  return (await Promise.all(responses)).some((response) => firstValue(response) === true);
}

function firstValue(response: BusMessage | BusTrouble): BusValue | undefined {
  return valuesOf(response)[0];
}

/** Of a response that is no error. */
function valuesOf(response: BusMessage | BusTrouble): readonly BusValue[] {
  return typeof response === 'string' ? [] : response.values;
}

/** Of what the hot path asks, in milliseconds. */
const hotMs = 1000;

/** An open keyring, for one item. */
export interface Keyring extends Disposable {
  /** The item of this key, if it is there, unlocked and the only one; the whole program finds out why it is not. Never rejects. */
  read(key: string): Promise<string | undefined>;
}

/** Connects to the Secret Service, whose greeting is on its way when this returns: the key can be found meanwhile. */
export async function openKeyring(env: Readonly<Record<string, string | undefined>>): Promise<Keyring | undefined> {
  if (process.platform === 'darwin' || process.platform === 'win32') return undefined;
  const bus = await connectBus(env, hotMs);
  if (typeof bus === 'string') return undefined;
  const greeted = bus.call(secretService.greet);
  return {
    read: async (key) => {
      await greeted;
      return await read(bus, key);
    },
    [Symbol.dispose]: () => bus[Symbol.dispose](),
  };
}

async function read(bus: BusConnection, key: string): Promise<string | undefined> {
  const opening = bus.call(secretService.openPlainSession);
  const items = firstValue(await bus.call(secretService.searchItems(key)));
  const [, session] = valuesOf(await opening);
  const [item, another] = Array.isArray(items) ? items : [];
  if (typeof item !== 'string' || typeof session !== 'string' || another !== undefined) return undefined;
  return textOf(valuesOf(await bus.call(secretService.getSecret(item, session))));
}
