import { lookup } from 'node:dns/promises';
import { parseAddress } from '../core/ip-address.js';
import { withTimeLimit } from './deadline.js';
import { type NetworkTrouble, networkFailed, timedOut } from './failures.js';
import { codeOf } from './network-cause.js';

/** Asks the name service; rejects with a `code` such as `ENOTFOUND`. */
export type Resolve = (host: string) => Promise<string[]>;

/**
 * The addresses of a host. An address stands for itself, `localhost` and all below it are this machine
 * without asking anybody (RFC 6761 section 6.3), every other name is looked up once, within `connectMs`.
 * @throws Failure `network_failed`, `timed_out`
 */
export async function resolveHost(
  target: Omit<NetworkTrouble, 'code'>,
  { resolve, connectMs }: { readonly resolve: Resolve; readonly connectMs: number },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { host } = target;
  if (parseAddress(host) !== undefined) return [host];
  if (isLocalhost(host)) return ['127.0.0.1', '::1'];
  const failure = (): Error => timedOut(host, 'looking up its address', connectMs);
  const addresses = await withTimeLimit(connectMs, failure, signal, () =>
    resolve(host).catch((error: unknown) => {
      throw networkFailed({ ...target, code: codeOf(error) ?? 'ENOTFOUND' });
    }),
  );
  if (addresses.length === 0) throw networkFailed({ ...target, code: 'ENOTFOUND' });
  return addresses;
}

/** `localhost` or a name below it, with or without the dot of the root. */
export function isLocalhost(host: string): boolean {
  return /^(?:[^.]+\.)*localhost\.?$/i.test(host);
}

/** Every address that the operating system knows for a host name (hosts file and DNS), in its order. */
export async function systemResolver(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);
}
