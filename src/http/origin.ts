import { lookup } from 'node:dns/promises';
import { type AddressClass, classifyAddress, classifyHost, parseAddress } from '../core/ip-address.js';
import type { Zone } from '../core/records.js';
import { withTimeLimit } from './deadline.js';
import { addressRefused, type NamedBy, plainHttpRefused, timedOut } from './failures.js';
import { codeOf, type NetworkTrouble, networkFailed } from './network-failures.js';
import { type Environment, type HttpProxy, proxyFor } from './proxy-settings.js';

/** Asks the name service; rejects with a `code` such as `ENOTFOUND`. */
export type Resolve = (host: string) => Promise<string[]>;

/** An origin, and where it is reached. Made once for a set of connections; every request is checked against it. */
export interface Origin {
  /** As `URL.origin` spells it. */
  readonly url: string;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Classes of all addresses that the origin has; none when a proxy looks the name up. */
  readonly classes: readonly AddressClass[];
  /** The addresses to connect to, at most 16: the proxy's where there is one, else those of `zone`. */
  readonly addresses: readonly string[];
  readonly proxy: HttpProxy | undefined;
  /** The farthest of the classes: a name that also leads nearer is no nearer for that. `public` through a proxy. */
  readonly zone: Zone;
}

const maxAddresses = 16;

const farthestFirst = ['public', 'private', 'loopback'] as const;

/**
 * Finds where a URL's origin is reached. With a proxy the name is left to the proxy to look up, as a
 * proxy's clients must; only an address in the URL can be checked then. The proxy is the person's own
 * setting: it may be anywhere.
 * @throws Failure `address_refused`, `url_refused`, `network_failed`, `timed_out`,
 *   `network_setting_unusable`
 */
export async function locate(
  url: URL,
  namedBy: NamedBy,
  options: { readonly resolve?: Resolve | undefined; readonly env: Environment; readonly connectMs: number },
  signal: AbortSignal,
): Promise<Origin> {
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const target = { url: url.origin, host, port: Number(url.port) || (secure ? 443 : 80), secure };
  const proxy = proxyFor(target, options.env);
  if (proxy !== undefined) {
    const classes = parseAddress(host) === undefined ? [] : [classifyAddress(host)];
    checkAddresses(url, classes, namedBy);
    const addresses = await resolveHost({ host: proxy.host, port: proxy.port, proxyTo: host }, options, signal);
    return { ...target, classes, addresses: addresses.slice(0, maxAddresses), proxy, zone: 'public' };
  }
  const all = await resolveHost(target, options, signal);
  const classes = [...new Set(all.map(classifyAddress))];
  const zone = farthestFirst.find((kind) => classes.includes(kind)) ?? 'public';
  const addresses = all.filter((address) => classifyAddress(address) === zone).slice(0, maxAddresses);
  return { ...target, classes, addresses, proxy, zone };
}

/**
 * The addresses of a host. An address stands for itself, `localhost` and all below it are this machine
 * without asking anybody (RFC 6761 section 6.3), every other name is looked up once, within `connectMs`.
 * @throws Failure `network_failed`, `timed_out`
 */
async function resolveHost(
  target: Omit<NetworkTrouble, 'code'>,
  { resolve = systemResolver, connectMs }: { readonly resolve?: Resolve | undefined; readonly connectMs: number },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { host } = target;
  if (parseAddress(host) !== undefined) return [host];
  if (classifyHost(host) === 'loopback') return ['127.0.0.1', '::1'];
  const failure = (): Error => timedOut(host, 'looking up its address', connectMs);
  const addresses = await withTimeLimit(connectMs, failure, signal, () =>
    resolve(host).catch((error: unknown) => {
      throw networkFailed({ ...target, code: codeOf(error) ?? 'ENOTFOUND' });
    }),
  );
  if (addresses.length === 0) throw networkFailed({ ...target, code: 'ENOTFOUND' });
  return addresses;
}

/** Which classes of address may be reached, by the source of the URL. `forbidden` never. */
const allowed: Readonly<Record<NamedBy, readonly AddressClass[]>> = {
  person: ['public', 'private', 'loopback'],
  loopback: ['public', 'private', 'loopback'],
  private: ['public', 'private'],
  public: ['public'],
};

/**
 * Refuses plain http for a server that a farther server named, before anything is looked up.
 * @throws Failure `url_refused`
 */
export function checkScheme(url: URL, namedBy: NamedBy): void {
  if (url.protocol === 'https:' || namedBy === 'person' || namedBy === 'loopback') return;
  throw plainHttpRefused(url.href, namedBy);
}

/**
 * Refuses a host if any one of its addresses may not be reached by its source, and plain http unless
 * every address is loopback.
 * @throws Failure `address_refused`, `url_refused`
 */
export function checkAddresses(url: URL, classes: readonly AddressClass[], namedBy: NamedBy): void {
  const refused = classes.find((kind) => !allowed[namedBy].includes(kind));
  if (refused !== undefined) throw addressRefused(url.host, refused, namedBy);
  if (url.protocol === 'http:' && classes.some((kind) => kind !== 'loopback')) {
    throw plainHttpRefused(url.href, namedBy);
  }
}

/** Every address that the operating system knows for a host name (hosts file and DNS), in its order. */
async function systemResolver(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);
}
