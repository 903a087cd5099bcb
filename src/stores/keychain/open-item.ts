import { type BusConnection, type BusTrouble, connectBus } from './bus-connection.js';
import type { Argument, BusMessage, BusValue, MethodCall } from './bus-messages.js';
import { isHead } from './item-parts.js';
import { attributesOf } from './items.js';

const limitMs = 1000;

/** An open keyring, for one item. */
export interface Keyring extends Disposable {
  /** The item of this key, if it is there, unlocked, the only one, and in one piece; the whole program finds out why it is not. Never rejects. */
  read(key: string): Promise<string | undefined>;
}

/**
 * Connects to the Secret Service, whose greeting is on its way when this returns: the key can be found meanwhile. Three round
 * trips in all, and next to nothing to load.
 */
export async function openKeyring(env: Readonly<Record<string, string | undefined>>): Promise<Keyring | undefined> {
  if (process.platform === 'darwin' || process.platform === 'win32') return undefined;
  const bus = await connectBus(env, limitMs);
  if (typeof bus === 'string') return undefined;
  const greeted = bus.call(secretService.greet);
  await new Promise<void>((resolve) => process.nextTick(resolve)); // now it is sent
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
  const [items] = valuesOf(await bus.call(secretService.searchItems(attributesOf(key))));
  const [, session] = valuesOf(await opening);
  const [item, another] = Array.isArray(items) ? items : [];
  if (typeof item !== 'string' || typeof session !== 'string' || another !== undefined) return undefined;
  const value = textOf(valuesOf(await bus.call(secretService.getSecret(item, session))));
  return value === undefined || isHead(value) ? undefined : value;
}

function valuesOf(response: BusMessage | BusTrouble): readonly BusValue[] {
  return typeof response === 'string' ? [] : response.values;
}

/** The text in the response to `getSecret`. */
export function textOf([secret]: readonly BusValue[]): string | undefined {
  return Array.isArray(secret) && Buffer.isBuffer(secret[2]) ? secret[2].toString('utf8') : undefined;
}

const root = '/org/freedesktop/secrets';

const item = 'org.freedesktop.Secret.Item';

const collection = 'org.freedesktop.Secret.Collection';

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
  searchItems: (attributes: Readonly<Record<string, string>>) =>
    call(root, 'Secret.Service', 'SearchItems', 'a{ss}', Object.entries(attributes)),
  /** → what is open now, and the prompt for the rest; `/`: none. */
  unlock: (path: string) => call(root, 'Secret.Service', 'Unlock', 'ao', [path]),
  /** → structure of session, parameters, secret, content type. */
  getSecret: (path: string, session: string) => call(path, 'Secret.Item', 'GetSecret', 'o', session),
  setSecret: (path: string, session: string, text: string) =>
    call(path, 'Secret.Item', 'SetSecret', '(oayays)', secretIn(session, text)),
  /** → the item; the prompt for it where that is `/`. */
  createItem: (path: string, session: string, key: string, text: string) =>
    call(
      path,
      'Secret.Collection',
      'CreateItem',
      'a{sv}(oayays)b',
      [
        [`${item}.Label`, { type: 's', value: `keyring:${key}@postern` }],
        [`${item}.Attributes`, { type: 'a{ss}', value: Object.entries(attributesOf(key)) }],
      ],
      secretIn(session, text),
      true,
    ),
  /** → the prompt; `/`: it is done. */
  deleteItem: (path: string) => call(path, 'Secret.Item', 'Delete', ''),
  /** Ends in the signal `Completed`. */
  prompt: (path: string) => call(path, 'Secret.Prompt', 'Prompt', 's', ''),
};

function secretIn(session: string, text: string): Argument {
  return [session, Buffer.alloc(0), Buffer.from(text), 'text/plain'];
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

/** A call of the bus itself. */
export function busCall(member: string, ...texts: readonly string[]): MethodCall {
  const name = 'org.freedesktop.DBus';
  const signature = 's'.repeat(texts.length);
  return { destination: name, path: '/org/freedesktop/DBus', interface: name, member, signature, arguments: texts };
}
