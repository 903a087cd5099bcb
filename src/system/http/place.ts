import type { NamedBy } from '../../errors/url.js';
import type { AddressClass } from '../../primitives/ip-address.js';
import { parseAddress } from '../../primitives/ip-address.js';
import type { Zone } from '../../primitives/records.js';
import { checkAddresses, judgeAddresses } from './address-rule.js';
import { type Environment, type HttpProxy, proxyFor } from './proxy-settings.js';
import { type Resolve, resolveHost } from './resolve-host.js';

/** Where an origin is reached. Made once for a set of connections; every request is judged against it. */
export interface Place {
  readonly origin: string;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Classes of all addresses that the origin has; none when a proxy looks the name up. */
  readonly classes: readonly AddressClass[];
  /** The addresses to connect to: the proxy's where there is one. */
  readonly addresses: readonly string[];
  readonly proxy: HttpProxy | undefined;
  /** The class of the addresses to connect to; `public` through a proxy. */
  readonly zone: Zone;
}

/**
 * Finds where a URL's origin is reached. With a proxy the name is left to the proxy to look up, as a
 * proxy's clients must; only an address in the URL can be judged then. The proxy is the person's own
 * setting: it may be anywhere.
 * @throws Failure `address_refused`, `url_refused`, `network_failed`, `timed_out`,
 *   `network_setting_unusable`
 */
export async function locate(
  url: URL,
  namedBy: NamedBy,
  options: { readonly resolve: Resolve; readonly env: Environment; readonly connectMs: number },
  signal: AbortSignal,
): Promise<Place> {
  const target = targetOf(url);
  const proxy = proxyFor(target, options.env);
  if (proxy === undefined) {
    return { ...target, ...judgeAddresses(await resolveHost(target, options, signal)), proxy };
  }
  const { classes } = judgeAddresses(parseAddress(target.host) === undefined ? [] : [target.host]);
  checkAddresses(url, classes, namedBy);
  const { host, port } = proxy;
  const party = { host, port, proxyTo: target.host };
  const addresses = (await resolveHost(party, options, signal)).slice(0, 16);
  return { ...target, classes, addresses, proxy, zone: 'public' };
}

function targetOf(url: URL): Pick<Place, 'origin' | 'host' | 'port' | 'secure'> {
  const secure = url.protocol === 'https:';
  return {
    origin: url.origin,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 443 : 80),
    secure,
  };
}
