import { type BusTrouble, connectBus } from './bus-connection.js';
import type { BusMessage } from './bus-messages.js';
import { secretService } from './read-item.js';

/** What a probe of the Secret Service shows. `hung`: no response in time. */
export type Health = 'healthy' | 'locked' | 'no_service' | 'no_collection' | BusTrouble;

/**
 * Asks the session bus whether the default keyring can be used now, before each use of the keychain: calls of the
 * package cannot be cancelled once they hang. Never rejects.
 * @param limitMs After this long the keychain counts as `hung`.
 */
export async function probeSecretService(
  env: Readonly<Record<string, string | undefined>>,
  limitMs: number,
): Promise<Health> {
  const bus = await connectBus(env, limitMs);
  if (typeof bus === 'string') return bus;
  using _bus = bus;
  const alias = bus.call(secretService.readDefaultAlias);
  const locked = await bus.call(secretService.isDefaultLocked);
  if (typeof locked === 'string') return locked;
  if (locked.kind === 'return') {
    const [value] = locked.values;
    return value === false ? 'healthy' : value === true ? 'locked' : 'unknown';
  }
  return serviceTrouble(locked) ?? collectionTrouble(await alias);
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
