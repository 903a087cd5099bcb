import { classifyHost } from '../../core/ip-address.js';
import type { DescribedHost } from '../../core/ports.js';
import { quoted } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';

/** Longest address of a page, in characters: the person is to look over all of it. */
const maxLength = 4096;

/** A page that a person may be asked about. */
export interface PageToOpen {
  /** ASCII; what is shown is what is opened. */
  readonly url: string;
  /** Its name or address, without a port. */
  readonly hostname: string;
  /** The address in three parts, of which the middle one says where it leads. */
  readonly parts: readonly [before: string, host: string, after: string];
}

/**
 * The page that a server wants opened. Only https is offered, and http on this machine where the server is here, too.
 * @param server Its URL; undefined for a program of this machine.
 * @returns The page, or a clause that says why it is not offered, without a byte of it
 */
export function pageToOpen(raw: string, server: string | undefined): PageToOpen | string {
  const gated = gateUrl(asciiOf(raw), maxLength);
  if (!gated.ok) return gated.problem;
  const { protocol, host, hostname, href } = gated.url;
  const isLocal = server === undefined || (URL.canParse(server) && isHere(new URL(server).hostname));
  if (protocol !== 'https:' && !isHere(hostname)) return 'it is not https';
  if (protocol !== 'https:' && !isLocal) return 'it is not https, and the server is not on this computer';
  const before = `${protocol}//`;
  return { url: href, hostname, parts: [before, host, href.slice(before.length + host.length)] };
}

/** Hosts in other scripts become ASCII; what a browser would leave out of an address or repair in it stays, to be refused. */
function asciiOf(raw: string): string {
  const isPlain = /^[\x21-\x7e]*$/.test(raw) || /[\s\p{C}]/u.test(raw.slice(0, maxLength));
  return isPlain || raw.length > maxLength || !URL.canParse(raw) ? raw : new URL(raw).href;
}

/** Is that host this computer? */
const isHere = (hostname: string): boolean => classifyHost(hostname) === 'loopback';

/** How near a host is. Link-local addresses are as near as private ones. */
const nearness = { public: 0, private: 1, forbidden: 1, loopback: 2 } as const;

/** What a person should know before the page is opened: each a sentence. */
export function warningsOf(page: PageToOpen, server: string | undefined, host: DescribedHost): readonly string[] {
  const { hostname } = page;
  const warnings: string[] = [];
  if (host.inLetters !== hostname || /(?:^|\.)xn--/.test(hostname)) {
    const scripts = mixedScripts(host.inLetters);
    warnings.push(
      `This host has letters beyond a to z: ${quoted(host.inLetters, 260)} is in truth ${hostname}. Such names can look like others.`,
      ...(scripts.length === 0 ? [] : [`It mixes ${scripts.join(' and ')} letters, as names that imitate others do.`]),
    );
  }
  const near = (name: string) => nearness[classifyHost(name)];
  if (server !== undefined && near(hostname) > near(new URL(server).hostname)) {
    const where = isHere(hostname) ? 'this computer itself' : 'your own network';
    warnings.push(`The page is on ${where}, and the server is not.`);
  }
  return warnings;
}

const scriptNames = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew', 'Arabic', 'Cherokee', 'Georgian', 'Devanagari', 'Thai'],
  ...['Coptic', 'Ethiopic', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'],
];

/** Scripts that are written together (Unicode Technical Standard 39, section 5.2). */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Hangul'],
  ['Latin', 'Han', 'Bopomofo'],
];

/** The scripts of the first label that mixes some which are not written together. */
function mixedScripts(host: string): readonly string[] {
  for (const label of host.split('.')) {
    const found = scriptNames.filter((name) => new RegExp(`\\p{Script=${name}}`, 'u').test(label));
    if (found.length > 1 && !together.some((usual) => found.every((name) => usual.includes(name)))) return found;
  }
  return [];
}

/** Whether the page is at the server's own host. */
export function isOwnHost({ hostname }: PageToOpen, server: string | undefined): boolean {
  return server !== undefined && new URL(server).hostname === hostname;
}
