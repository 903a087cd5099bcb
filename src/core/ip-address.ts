import { isIP } from 'node:net';

/** How near an address is, or that connecting to it is forbidden. */
export type AddressClass = 'public' | 'private' | 'loopback' | 'forbidden';

type Bytes = readonly number[];

type Range = readonly [prefix: Bytes, bits: number, kind: AddressClass];

/** The first match wins; without one it is public. IANA special-purpose registry, RFC 6890. */
const ipv4Ranges: readonly Range[] = [
  [[127], 8, 'loopback'],
  [[10], 8, 'private'],
  [[172, 16], 12, 'private'],
  [[192, 168], 16, 'private'],
  [[100, 64], 10, 'private'], // shared address space, RFC 6598
  [[0], 8, 'forbidden'],
  [[169, 254], 16, 'forbidden'], // link-local, and the clouds' metadata service
  [[192, 0, 0], 24, 'forbidden'],
  [[192, 0, 2], 24, 'forbidden'],
  [[192, 88, 99], 24, 'forbidden'], // 6to4 relay anycast, RFC 7526
  [[198, 18], 15, 'forbidden'], // benchmarks, RFC 2544
  [[198, 51, 100], 24, 'forbidden'],
  [[203, 0, 113], 24, 'forbidden'],
  [[224], 4, 'forbidden'], // multicast
  [[240], 4, 'forbidden'], // reserved, and broadcast
];

/** Prefixes that embed an IPv4 address, and the index of its first byte. */
const embeddings: readonly (readonly [prefix: Bytes, bits: number, offset: number])[] = [
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96, 12], // IPv4-mapped
  [[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], 96, 12], // IPv4-translated, RFC 2765
  [[0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], 96, 12], // NAT64, RFC 6052
  [[0x00, 0x64, 0xff, 0x9b, 0, 1, 0, 0, 0, 0, 0, 0], 96, 12], // local NAT64 with RFC 8215's shortest prefix
  [[0x20, 0x02], 16, 2], // 6to4
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 96, 12], // IPv4-compatible
];

const ipv6Ranges: readonly Range[] = [
  [[0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], 128, 'forbidden'], // metadata
  [[0xfc], 7, 'private'], // unique local
  [[0x20, 0x01, 0x00, 0x00], 32, 'forbidden'], // Teredo
  [[0x20, 0x01, 0x00], 23, 'forbidden'], // protocol assignments, RFC 2928
  [[0x20, 0x01, 0x0d, 0xb8], 32, 'forbidden'], // documentation
  [[0x3f, 0xff, 0x00], 20, 'forbidden'], // documentation, RFC 9637
  [[0x5f, 0x00], 16, 'forbidden'], // segment routing, RFC 9602
  [[0x20], 3, 'public'], // 2000::/3, all that is global unicast
  [[], 0, 'forbidden'], // link-local, multicast, site-local, discard, other local NAT64, reserved
];

const ipv6Loopback: Bytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

const unspecified: Bytes = ipv6Loopback.map(() => 0);

/**
 * The class of an address, by its bytes, never its spelling. An IPv6 address that embeds an IPv4 address (mapped, compatible,
 * translated, NAT64, 6to4) has the class of that one. Anything else is `forbidden`.
 *
 * @param address four decimal numbers, or an IPv6 address without brackets
 */
export function classifyAddress(address: string): AddressClass {
  const bytes = parseAddress(address);
  if (bytes === undefined) return 'forbidden';
  return bytes.length === 4 ? firstMatch(bytes, ipv4Ranges) : classifyIpv6(bytes);
}

/** The class of a URL's host: an address, or a name that is local or private by its form. */
export function classifyHost(host: string): AddressClass {
  const name = host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  if (parseAddress(name) !== undefined) return classifyAddress(name);
  if (/(?:^|\.)localhost$/.test(name)) return 'loopback';
  return /(?:^|\.)(?:local|internal|lan|home\.arpa)$/.test(name) || !name.includes('.') ? 'private' : 'public';
}

/** The 4 or 16 bytes of an address in RFC 4291 or dotted form; undefined for anything else. */
export function parseAddress(address: string): readonly number[] | undefined {
  const kind = isIP(address);
  if (kind === 4) return address.split('.').map(Number);
  if (kind !== 6 || address.includes('%')) return undefined;
  // A URL's host has only hexadecimal groups.
  const halves = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [head = [], tail = []] = halves.map((half) => half.split(':').flatMap(bytesOfGroup));
  return [...head, ...Array<number>(16 - head.length - tail.length).fill(0), ...tail];
}

function bytesOfGroup(group: string): Bytes {
  const value = Number.parseInt(group, 16);
  return group === '' ? [] : [value >> 8, value & 0xff];
}

/** Whether an address starts with the first `bits` bits of `prefix` (missing bytes count as 0). */
export function startsWith(bytes: Bytes, prefix: Bytes, bits: number): boolean {
  for (let index = 0; index * 8 < bits; index += 1) {
    const mask = 0xff & ~(0xff >> Math.min(8, bits - index * 8));
    if (((bytes[index] ?? 0) & mask) !== ((prefix[index] ?? 0) & mask)) return false;
  }
  return true;
}

function classifyIpv6(bytes: Bytes): AddressClass {
  if (startsWith(bytes, ipv6Loopback, 128)) return 'loopback';
  if (startsWith(bytes, unspecified, 128)) return 'forbidden';
  const embedding = embeddings.find(([prefix, bits]) => startsWith(bytes, prefix, bits));
  if (embedding !== undefined) return firstMatch(bytes.slice(embedding[2], embedding[2] + 4), ipv4Ranges);
  return firstMatch(bytes, ipv6Ranges);
}

function firstMatch(bytes: Bytes, ranges: readonly Range[]): AddressClass {
  return ranges.find(([prefix, bits]) => startsWith(bytes, prefix, bits))?.[2] ?? 'public';
}
