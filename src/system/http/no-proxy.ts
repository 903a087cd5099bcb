import { parseAddress, startsWith } from '../../primitives/ip-address.js';

/**
 * Whether NO_PROXY lists a host: entries between commas or blanks, each `*`, a name (which stands for
 * itself and all below it, with or without a leading dot or `*.`), an address, or an address block
 * (`10.0.0.0/8`), and each may end in `:port`.
 */
export function isListed(noProxy: string, host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), name, port));
}

function matches(entry: string, name: string, port: number): boolean {
  if (entry === '*') return true;
  const [, bracketed, plain, entryPort] = /^(?:\[([^\]]*)\]|(.*?))(?::([0-9]+))?$/.exec(entry) ?? [];
  const bare = parseAddress(entry) !== undefined || entry.includes('/');
  if (!bare && entryPort !== undefined && Number(entryPort) !== port) return false;
  const pattern = bare ? entry : (bracketed ?? plain ?? entry);
  const bytes = parseAddress(name);
  if (bytes !== undefined) return isInBlock(bytes, pattern);
  const suffix = pattern.replace(/^\*?\./, '');
  return name === suffix || name.endsWith(`.${suffix}`);
}

function isInBlock(bytes: readonly number[], pattern: string): boolean {
  const [address = '', bits] = pattern.split('/');
  const prefix = parseAddress(address);
  if (prefix === undefined || prefix.length !== bytes.length) return false;
  const length = bits === undefined ? bytes.length * 8 : Number(bits);
  return Number.isInteger(length) && length >= 0 && startsWith(bytes, prefix, length);
}
