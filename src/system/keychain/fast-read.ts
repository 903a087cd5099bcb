import { connectBus } from './bus-connection.js';
import type { BusMessage, BusValue } from './bus-decode.js';
import { attributesOf } from './item-name.js';
import { isHead } from './parts-head.js';
import { secretService } from './secret-service.js';

export type FastRead =
  | { readonly ok: true; readonly value: string }
  /** Nothing was read; the careful way finds out why and tells the person. */
  | { readonly ok: false; readonly why: string };

const limitMs = 1000;

/**
 * The item that `findKey` names, if it can be had at once: the Secret Service answers, the item is there, open, in one
 * piece. For the short way alone: it asks the bus itself, in two round trips, where the package takes a key exchange
 * and cannot be ended when the service hangs. It loads next to nothing. Rejects only with what `findKey` throws.
 * @param opened Takes the connection, which is the caller's to close, or to leave to the end of the process.
 * @param findKey Called while the bus is busy with the greeting, so that its time costs nothing; undefined: no item.
 */
export async function readSecretFast(
  findKey: () => Promise<string | undefined> | string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  opened: (bus: Disposable) => void,
): Promise<FastRead> {
  if (process.platform === 'darwin' || process.platform === 'win32') {
    return { ok: false, why: 'no session bus on this platform' };
  }
  const bus = await connectBus(env, limitMs);
  if (typeof bus === 'string') {
    return { ok: false, why: bus };
  }
  opened(bus);
  const opening = bus.call(secretService.openPlainSession());
  await new Promise<void>((resolve) => process.nextTick(resolve)); // now it is sent
  const key = await findKey();
  if (key === undefined) {
    return { ok: false, why: 'no item named' };
  }
  const found = await bus.call(secretService.searchItems(attributesOf(key)));
  if (typeof found === 'string') {
    return { ok: false, why: found };
  }
  const [items, locked] = found.values;
  const [, session] = valuesOf(await opening);
  const [item, another] = Array.isArray(items) ? items : [];
  if (typeof item !== 'string' || typeof session !== 'string' || another !== undefined) {
    const isLocked = Array.isArray(locked) && locked.length > 0;
    return { ok: false, why: isLocked ? 'locked' : 'not found' };
  }
  const [secret] = valuesOf(await bus.call(secretService.getSecret(item, session)));
  const text = Array.isArray(secret) && Buffer.isBuffer(secret[2]) ? secret[2].toString('utf8') : undefined;
  if (text === undefined || isHead(text)) {
    return { ok: false, why: text === undefined ? 'not readable' : 'in parts' };
  }
  return { ok: true, value: text };
}

function valuesOf(answer: BusMessage | string): readonly BusValue[] {
  return typeof answer === 'string' ? [] : answer.values;
}
