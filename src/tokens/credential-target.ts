import { classifyAddress } from '../core/ip-address.js';
import { defaultAccount } from '../core/records.js';
import { attaches, canonicalResource, nearest } from '../core/resource.js';
import { gateUrl, originOf, splitUrl } from '../core/url.js';
import { type NamedLogin, pickLogin } from './find-login.js';
import { tokenNotForUrl } from './request-failures.js';

/** Where a credential belongs: the server that its stored item names, not what an index, a name or an option says. */
export interface Belonging {
  readonly server: string;
}

/**
 * The one proof before a token goes anywhere: the address is the item's own server, query included, or below it.
 * @param reach `host`: any path of the server's origin, by choice of the person.
 * @throws Failure `token_not_for_url`
 */
export function proveAddress(item: Belonging, url: string, reach: 'server' | 'host' = 'server'): void {
  const fits =
    item.server === url ||
    (reach === 'host' ? originText(item.server) === originText(url) : attaches(item.server, url));
  if (!fits) throw tokenNotForUrl(item.server, url);
}

/**
 * The same where a person or a program has named a login: an address has to fit, a short name says nothing about one.
 * @throws Failure `token_not_for_url`
 */
export function proveNamed(item: Belonging, named: string | undefined): void {
  const address = named === undefined ? undefined : canonicalResource(named);
  if (address?.ok) proveAddress(item, address.value);
}

/** What of a login says which requests its token may be put on. */
export interface MappableLogin {
  readonly server: string;
  readonly account: string;
}

export type MappedLogin<Login> =
  | { readonly kind: 'one'; readonly login: Login }
  | { readonly kind: 'several'; readonly logins: readonly Login[] }
  /** Nothing was mapped; `onOrigin`: a login of the same origin, for another path. */
  | { readonly kind: 'none'; readonly onOrigin: Login | undefined };

/** Prefixes and schemes under which tools name what is HTTP underneath. */
const wrappers: readonly (readonly [RegExp, string])[] = [
  [/^(?:sparse|git)\+(?=https?:)/i, ''],
  [/^(?:wss|grpcs):/i, 'https:'],
  [/^(?:ws|grpc):/i, 'http:'],
];

/** Longest address that a query is taken from, in characters: signed addresses are long. */
const longestWithQuery = 16_384;

/**
 * The address that a token is wanted for, in plain form, from what a tool calls it; undefined when it is none that a
 * token may go to. The fragment is left out, a query that is not plain likewise; a bare `host[:port]` is https.
 */
export function targetUrl(raw: string): string | undefined {
  const absolute = raw.startsWith('https://') ? raw : absoluteOf(raw);
  const [whole = '', plain = ''] = /^([^?#]*)(?:\?[^#]*)?/s.exec(absolute) ?? [];
  const gated = gateUrl(plain);
  const parts = splitUrl(plain);
  if (!gated.ok || parts === undefined || (gated.url.protocol === 'http:' && !isLoopback(parts.host))) return undefined;
  const query = gateUrl(whole, longestWithQuery).ok ? whole.slice(plain.length) : '';
  return `${originOf(parts)}${parts.path}${query}`;
}

function absoluteOf(raw: string): string {
  const named = wrappers.reduce((text, [form, instead]) => text.replace(form, instead), raw);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `https://${named}`;
}

/**
 * The login whose token may go to `target`: exactly its origin, at its path or below, the nearest first. Of
 * several accounts the one asked for, else the default one; never a guess.
 * @param wanted `wholeHost`: any path of the origin, by choice of the person.
 */
export function mapLogin<Login extends MappableLogin>(
  logins: readonly Login[],
  wanted: { readonly target: string; readonly account: string | undefined; readonly wholeHost: boolean },
): MappedLogin<Login> {
  const { target, account, wholeHost } = wanted;
  const origin = originText(target);
  const onOrigin = logins.filter(({ server }) => origin !== '' && originText(server) === origin);
  const ofAccount = onOrigin.filter((login) => account === undefined || login.account === account);
  const candidates = wholeHost ? ofAccount : nearest(ofAccount, target);
  const [first, second] = candidates;
  if (first === undefined) return { kind: 'none', onOrigin: onOrigin[0] };
  const byDefault = candidates.filter((login) => login.account === defaultAccount);
  const [chosen, another] = second === undefined ? candidates : byDefault;
  return chosen === undefined || another !== undefined
    ? { kind: 'several', logins: candidates }
    : { kind: 'one', login: chosen };
}

/** Scheme, host and port of a URL in plain form; '' for what is none. */
export function originText(url: string): string {
  const parts = splitUrl(url);
  return parts === undefined ? '' : originOf(parts);
}

/** Plain http carries a token within this machine only. */
export function mayCarryToken(server: string): boolean {
  const parts = splitUrl(server);
  return parts !== undefined && (parts.scheme.toLowerCase() === 'https' || isLoopback(parts.host));
}

function isLoopback(host: string): boolean {
  const plain = host.toLowerCase();
  return plain === 'localhost' || classifyAddress(plain.replace(/^\[(.*)\]$/, '$1')) === 'loopback';
}

export type PickedCredential<Login> =
  | { readonly kind: 'one'; readonly login: Login }
  | { readonly kind: 'several'; readonly logins: readonly Login[] }
  /** `onOrigin`: there is one for another path of the same host. */
  | { readonly kind: 'none'; readonly onOrigin?: Login | undefined }
  /** The login that was named is not for the address that was asked for. */
  | { readonly kind: 'elsewhere'; readonly login: Login };

/**
 * The login that another program may have a token of: the one named in its configuration, the one mapped to the
 * address it asks for, and where it has both, only if they agree.
 */
export function pickCredential<Login extends NamedLogin & MappableLogin>(
  all: readonly Login[],
  wanted: {
    readonly named: string | undefined;
    readonly target: string | undefined;
    readonly account: string | undefined;
    readonly wholeHost: boolean;
  },
): PickedCredential<Login> {
  const { named, account, wholeHost } = wanted;
  const logins = all.filter(({ server }) => mayCarryToken(server));
  if (wanted.target === undefined) {
    return named === undefined ? { kind: 'none' } : pickLogin(logins, { server: named, account });
  }
  const target = targetUrl(wanted.target);
  if (named === undefined) {
    return target === undefined ? { kind: 'none' } : mapLogin(logins, { target, account, wholeHost });
  }
  const picked = pickLogin(logins, { server: named, account });
  if (picked.kind !== 'one') return picked;
  const { login } = picked;
  if (target === undefined) return { kind: 'elsewhere', login };
  const fits = wholeHost ? originText(login.server) === originText(target) : attaches(login.server, target);
  if (fits) return picked;
  return originText(login.server) === originText(target)
    ? { kind: 'none', onOrigin: login }
    : { kind: 'elsewhere', login };
}
