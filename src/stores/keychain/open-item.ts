import { type BusConnection, type BusTrouble, connectBus } from './bus-connection.js';
import type { BusMessage, BusValue } from './bus-messages.js';
import { secretService, textOf } from './secret-service-calls.js';

const limitMs = 1000;

/** An open keyring, for one item. */
export interface Keyring extends Disposable {
  /** The item of this key, if it is there, unlocked and the only one; the whole program finds out why it is not. Never rejects. */
  read(key: string): Promise<string | undefined>;
}

/** Connects to the Secret Service, whose greeting is on its way when this returns: the key can be found meanwhile. */
export async function openKeyring(env: Readonly<Record<string, string | undefined>>): Promise<Keyring | undefined> {
  if (process.platform === 'darwin' || process.platform === 'win32') return undefined;
  const bus = await connectBus(env, limitMs);
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
  const [items] = valuesOf(await bus.call(secretService.searchItems(key)));
  const [, session] = valuesOf(await opening);
  const [item, another] = Array.isArray(items) ? items : [];
  if (typeof item !== 'string' || typeof session !== 'string' || another !== undefined) return undefined;
  return textOf(valuesOf(await bus.call(secretService.getSecret(item, session))));
}

function valuesOf(response: BusMessage | BusTrouble): readonly BusValue[] {
  return typeof response === 'string' ? [] : response.values;
}
