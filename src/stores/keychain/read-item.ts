import { type BusConnection, type BusTrouble, connectBus } from './bus-connection.js';
import type { BusArgument, BusMessage, BusValue, MethodCall } from './bus-messages.js';
import { attributesOf, isHead } from './item-parts.js';
import type { SessionBus } from './session-bus.js';

export type FastRead =
  | { readonly ok: true; readonly value: string }
  /** Nothing was read; the whole program finds out why. */
  | { readonly ok: false; readonly why: string };

const limitMs = 1000;

/** An open keyring, for one item. */
export interface Keyring extends Disposable {
  /** The item of this key, if it is there, unlocked and in one piece. Never rejects. */
  read(key: string): Promise<FastRead>;
}

/**
 * Connects to the Secret Service, whose greeting is on its way when this returns: the key can be found meanwhile. Three round
 * trips in all, and next to nothing to load; the package's way cannot be cancelled, and may end gnome-keyring (see `greet`).
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

/** The same for the whole program, which may be connected already. Never rejects. */
export async function readSecret(session: SessionBus, key: string): Promise<FastRead> {
  const found = await session.use(limitMs, async (bus) => {
    await bus.call(secretService.greet);
    return await read(bus, key);
  });
  return typeof found === 'string' ? { ok: false, why: found } : found;
}

async function read(bus: BusConnection, key: string): Promise<FastRead> {
  const found = await openItem(bus, key);
  if (!found.ok) return found;
  const [secret] = valuesOf(await bus.call(secretService.getSecret(found.item, found.session)));
  const value = Array.isArray(secret) && Buffer.isBuffer(secret[2]) ? secret[2].toString('utf8') : undefined;
  if (value === undefined) return { ok: false, why: 'not readable' };
  return isHead(value) ? { ok: false, why: 'in parts' } : { ok: true, value };
}

/** Object paths of the one item of that key, which is open, and of a session. */
async function openItem(
  bus: BusConnection,
  key: string,
): Promise<
  { readonly ok: true; readonly item: string; readonly session: string } | { readonly ok: false; readonly why: string }
> {
  const opening = bus.call(secretService.openPlainSession);
  const found = await bus.call(secretService.searchItems(attributesOf(key)));
  if (typeof found === 'string') return { ok: false, why: found };
  const [items, locked] = found.values;
  const [, session] = valuesOf(await opening);
  const [item, another] = Array.isArray(items) ? items : [];
  if (typeof item === 'string' && typeof session === 'string' && another === undefined) {
    return { ok: true, item, session };
  }
  return { ok: false, why: Array.isArray(locked) && locked.length > 0 ? 'locked' : 'not found' };
}

/**
 * Puts another text into an item that is there, open and the only one of its key; its label and attributes stay as the package
 * made them. Never rejects. False where that could not be done, or is not known: then the package writes.
 */
export async function replaceSecret(
  session: SessionBus,
  { key, text, ms }: { readonly key: string; readonly text: string; readonly ms: number },
): Promise<boolean> {
  const done = await session.use(ms, async (bus) => {
    await bus.call(secretService.greet);
    const found = await openItem(bus, key);
    if (!found.ok) return false;
    const response = await bus.call(secretService.setSecret(found.item, found.session, text));
    return typeof response !== 'string' && response.kind === 'return';
  });
  return done === true;
}

function valuesOf(response: BusMessage | BusTrouble): readonly BusValue[] {
  return typeof response === 'string' ? [] : response.values;
}

const root = '/org/freedesktop/secrets';

/** The calls of the Secret Service (freedesktop.org's Secret Storage specification) that are made here. */
export const secretService = {
  /**
   * Answered before anything else is asked on a connection: gnome-keyring (42 to 50) learns who asks a moment after it
   * takes the first call, and an OpenSession that comes in this moment ends it, with every program's keyring locked. An
   * alias that nobody has is answered without a look at who asks.
   */
  greet: call(root, 'Secret.Service', 'ReadAlias', { type: 's', text: 'postern' }),
  /** → object path of the collection; `/` when there is none. */
  readDefaultAlias: call(root, 'Secret.Service', 'ReadAlias', { type: 's', text: 'default' }),
  /** → variant with a boolean. */
  isDefaultLocked: call(
    `${root}/aliases/default`,
    'DBus.Properties',
    'Get',
    { type: 's', text: 'org.freedesktop.Secret.Collection' },
    { type: 's', text: 'Locked' },
  ),
  /** → variant, object path of the session. Secrets pass as they are, on a bus that only this user can read. */
  openPlainSession: call(root, 'Secret.Service', 'OpenSession', { type: 's', text: 'plain' }, { type: 'v', text: '' }),
  /** → object paths of the items that are open, and of those that are locked. */
  searchItems: (entries: Readonly<Record<string, string>>) =>
    call(root, 'Secret.Service', 'SearchItems', { type: 'a{ss}', entries }),
  /** → structure of session, parameters, secret, content type. */
  getSecret: (item: string, session: string) => call(item, 'Secret.Item', 'GetSecret', { type: 'o', text: session }),
  /** As the package calls what it writes. */
  setSecret: (item: string, session: string, text: string) =>
    call(item, 'Secret.Item', 'SetSecret', { type: '(oayays)', session, text, contentType: 'text/plain' }),
};

function call(path: string, name: string, member: string, ...given: readonly BusArgument[]): MethodCall {
  const destination = 'org.freedesktop.secrets';
  return { destination, path, interface: `org.freedesktop.${name}`, member, arguments: given };
}
