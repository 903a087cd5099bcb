import { addressRefused, type NamedBy, plainHttpRefused } from '../../errors/url.js';
import { type AddressClass, classifyAddress } from '../../primitives/ip-address.js';
import type { Zone } from '../../primitives/records.js';

const mostAddresses = 16;
const nearestFirst = ['loopback', 'private', 'public'] as const;

/** Which classes of address may be reached, by who named the URL. `forbidden` never. */
const allowed: Readonly<Record<NamedBy, readonly AddressClass[]>> = {
  person: ['public', 'private', 'loopback'],
  loopback: ['public', 'private', 'loopback'],
  private: ['public', 'private'],
  public: ['public'],
};

/** Addresses whose classes are known. What was classified is what is connected to. */
export interface JudgedAddresses {
  /** At most 16; nothing else is connected to. */
  readonly addresses: readonly string[];
  /** The class of every address that the name had, those beyond the 16 included. */
  readonly classes: readonly AddressClass[];
}

/** Classifies each address by its bytes. */
export function judgeAddresses(addresses: readonly string[]): JudgedAddresses {
  return {
    addresses: addresses.slice(0, mostAddresses),
    classes: [...new Set(addresses.map(classifyAddress))],
  };
}

/**
 * Refuses plain http for a server that a farther server named, before anything is looked up.
 * @throws Failure `url_refused`
 */
export function checkScheme(url: URL, namedBy: NamedBy): void {
  if (url.protocol === 'https:' || namedBy === 'person' || namedBy === 'loopback') return;
  throw plainHttpRefused(url.href, namedBy);
}

/**
 * Refuses a host if any one of its addresses may not be reached by who named it, and plain http unless
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

/** The nearest of the classes: what an answer's zone is taken to be. */
export function nearestZone(classes: readonly AddressClass[]): Zone {
  return nearestFirst.find((zone) => classes.includes(zone)) ?? 'public';
}
