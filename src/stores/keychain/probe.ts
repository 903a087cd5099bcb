import type { BusConnection, BusTrouble } from './bus-connection.js';
import type { BusMessage } from './bus-messages.js';
import { attributesOf } from './item-parts.js';
import { secretService } from './read-item.js';
import { askServiceName, isWalletOpen, type ServiceName } from './service-name.js';
import type { SessionBus } from './session-bus.js';

/** What a probe of the Secret Service shows. `hung`: no response in time. */
export type Health =
  | 'healthy'
  | 'locked'
  /** Called locked, but the first program that asks opens it, without a prompt. */
  | 'opens_when_asked'
  /** The keyring is open, and the item is not: a person is asked before it is given out. */
  | 'item_locked'
  | 'no_service'
  | 'no_collection'
  | BusTrouble;

export interface Probe {
  readonly health: Health;
  readonly service: ServiceName;
}

/**
 * Asks the session bus whether the default keyring can be used now, before each use of the keychain: calls of the
 * package cannot be cancelled once they hang. Never rejects, and asks nothing that a service would prompt for.
 * @param limitMs After this long the keychain counts as `hung`.
 * @param account The item that is meant, if there is one.
 */
export async function probeSecretService(session: SessionBus, limitMs: number, account?: string): Promise<Probe> {
  const probe = await session.use(limitMs, (bus) => probeOn(bus, account));
  return typeof probe === 'string' ? { health: probe, service: 'none' } : probe;
}

async function probeOn(bus: BusConnection, account: string | undefined): Promise<Probe> {
  const asked = askServiceName(bus);
  await bus.call(secretService.greet);
  const alias = bus.call(secretService.readDefaultAlias);
  const locked = await bus.call(secretService.isDefaultLocked);
  const early = await asked;
  if (typeof locked === 'string') return { health: locked, service: early.name };
  const { name: service } = early.isServing ? early : await askServiceName(bus); // these calls may have started it
  if (locked.kind !== 'return') return { health: serviceTrouble(locked) ?? collectionTrouble(await alias), service };
  const [value] = locked.values;
  if (value === true) return { health: await whenLocked(bus, service), service };
  if (value === false) return { health: account === undefined ? 'healthy' : await itemHealth(bus, account), service };
  return { health: 'unknown', service };
}

async function whenLocked(bus: BusConnection, service: ServiceName): Promise<Health> {
  return service === 'kwallet' && (await isWalletOpen(bus)) ? 'opens_when_asked' : 'locked';
}

/** Only in an open keyring: KeePassXC asks for the password of a locked one when something is searched in it. */
async function itemHealth(bus: BusConnection, account: string): Promise<Health> {
  const found = await bus.call(secretService.searchItems(attributesOf(account)));
  if (typeof found === 'string') return found;
  const [, locked] = found.values;
  return Array.isArray(locked) && locked.length > 0 ? 'item_locked' : 'healthy';
}

/** An error of the bus about the service; undefined when the service itself has responded. */
function serviceTrouble({ errorName }: BusMessage): Health | undefined {
  const name = errorName.replace('org.freedesktop.DBus.Error.', '');
  if (name === 'ServiceUnknown' || name === 'NameHasNoOwner' || name.startsWith('Spawn.')) return 'no_service';
  return name === 'NoReply' || name === 'Timeout' || name === 'TimedOut' ? 'hung' : undefined;
}

function collectionTrouble(alias: BusMessage | BusTrouble): Health {
  if (typeof alias === 'string') return alias;
  return alias.values[0] === '/' ? 'no_collection' : 'unknown';
}
