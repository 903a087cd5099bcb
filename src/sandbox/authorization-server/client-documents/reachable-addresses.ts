import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { classifyAddress } from '../../../core/ip-address.js';

/** Every address of a name, as the system's resolver gives them. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/**
 * The addresses that a document may be fetched from. One that may not be reached spoils them all: a name that
 * is public and private at once is a trick. Whoever connects uses these and asks no resolver again, so that
 * the answer cannot change in between (DNS rebinding).
 *
 * @param allow `host:port` of places that may be on loopback and private addresses, too
 * @throws Error when there is none
 */
export async function reachableAddresses(
  target: URL,
  allow: readonly string[],
  resolve: Resolve,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const found = family === 0 ? await orAborted(resolve(host), signal) : [{ address: host, family }];
  const isOpen = allow.includes(`${target.hostname}:${portOf(target)}`);
  for (const { address } of found) {
    const kind = classifyAddress(address);
    if (kind === 'forbidden' || (kind !== 'public' && !isOpen)) throw new Error('address refused');
  }
  if (found.length === 0) throw new Error('no address');
  return found;
}

export function portOf(target: URL): number {
  return target.port === '' ? 443 : Number(target.port);
}

/** A resolver cannot be interrupted, but nobody has to wait for it. */
function orAborted<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('given up'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    task.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
