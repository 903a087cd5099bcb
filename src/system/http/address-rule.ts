import { addressRefused, type NamedBy, plainHttpRefused } from '../../errors/url.js';
import { type AddressClass, classifyAddress } from '../../primitives/ip-address.js';
import type { Zone } from '../../primitives/records.js';

const mostAddresses = 16;
const farthestFirst = ['public', 'private', 'loopback'] as const;

/** Which classes of address may be reached, by who named the URL. `forbidden` never. */
const allowed: Readonly<Record<NamedBy, readonly AddressClass[]>> = {
  person: ['public', 'private', 'loopback'],
  loopback: ['public', 'private', 'loopback'],
  private: ['public', 'private'],
  public: ['public'],
};

/** Addresses whose classes are known. What was classified is what is connected to. */
export interface JudgedAddresses {
  /** Those of `zone`, at most 16; nothing else is connected to. */
  readonly addresses: readonly string[];
  /** The class of every address that the name had. */
  readonly classes: readonly AddressClass[];
  /** The farthest of the classes: a name that also leads nearer is no nearer for that. */
  readonly zone: Zone;
}

/** Classifies each address by its bytes; where they differ, only the farthest are kept. */
export function judgeAddresses(addresses: readonly string[]): JudgedAddresses {
  const classes = addresses.map(classifyAddress);
  const zone = farthestFirst.find((kind) => classes.includes(kind)) ?? 'public';
  const kept = addresses.filter((_, index) => classes[index] === zone);
  return { addresses: kept.slice(0, mostAddresses), classes: [...new Set(classes)], zone };
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
