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
  if (parseAddress(target.host) !== undefined) return [target.host];
  if (isLocalhost(target.host)) return ['127.0.0.1', '::1'];
  const late = (): Error => timedOut(target.host, 'looking up its address', connectMs);
  const addresses = await withTimeLimit({ milliseconds: connectMs, late, signal }, () =>
    resolve(target.host).catch((error: unknown) => {
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
  const answers = await lookup(host, { all: true, order: 'verbatim' });
  return answers.map((answer) => answer.address);
}
