import { classifyAddress } from './ip-address.js';
import { defaultAccount } from './records.js';
import { nearest } from './resource.js';
import { gateUrl } from './url-gate.js';
import { originOf, splitUrl } from './url-parts.js';

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
  if (!gated.ok || parts === undefined || (gated.url.protocol === 'http:' && !isLoopback(parts.host))) {
    return undefined;
  }
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
  if (first === undefined) {
    return { kind: 'none', onOrigin: onOrigin[0] };
  }
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
