import { ignoreFailure } from '../core/failure.js';
import { classifyAddress } from '../core/ip-address.js';
import type { LoginMeant } from '../core/login-command.js';
import type { LoginRecord, StoreKind } from '../core/records.js';
import { attaches, canonicalResource, nearest } from '../core/resource.js';
import { Secret, type SecretHeader } from '../core/secret.js';
import { gateUrl, originOf, splitUrl } from '../core/url.js';
import type { HttpClient } from '../http/request.js';
import type { StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import { onlyOne, type PickedLogin, pickLogin } from './find-login.js';
import type { LoginProofs } from './login-proofs.js';
import { tokenBound, tokenNotForUrl } from './request-failures.js';

/** A token as requests carry it. */
export interface RequestToken {
  /** Of the stored item: the address of a request is proven by it. */
  readonly server: string;
  /** `environment`: for that very address alone. */
  readonly store?: StoreKind;
  readonly accessToken: Secret;
  /** All that its requests get: the `Authorization` header first, and those that the server wants beside it. */
  readonly own: readonly SecretHeader[];
  /** What makes a proof for each of them, where the token is bound to a key; absent: a Bearer token. */
  readonly bound?: LoginProofs | undefined;
  /** Addresses that were proven already. */
  readonly proven: Set<string>;
}

/** Nothing of it is proven yet. @param headers What the server wants beside it. */
export function requestToken(
  server: string,
  accessToken: Secret,
  headers: readonly SecretHeader[] = [],
  bound?: LoginProofs,
): RequestToken {
  const bearer = new Secret(`Bearer ${accessToken.reveal()}`);
  return { server, accessToken, own: [{ name: 'authorization', value: bearer }, ...headers], proven: new Set(), bound };
}

/** What says how far a token reaches. A token of the environment is for its very address alone, query included. */
export interface ProvenItem {
  readonly server: string;
  readonly store?: StoreKind;
}

/**
 * The one proof before a token goes anywhere: the address is the item's own server, query included, or below it.
 * @param item The stored item: it names its server, whatever an index, a name or an option says.
 * @param reach `host`: any path of the server's origin, by choice of the person.
 * @throws Failure `token_not_for_url`
 */
export function proveAddress(item: ProvenItem, url: string, reach: 'server' | 'host' = 'server'): void {
  if (!reaches(item, url, reach === 'host')) throw tokenNotForUrl(item.server, url);
}

export function reaches({ server, store }: ProvenItem, url: string, wholeHost: boolean): boolean {
  if (store === 'environment') return server === url;
  return server === url || (wholeHost ? originText(server) === originText(url) : attaches(server, url));
}

/**
 * The same where a person or a program has named a login: an address has to fit, a short name says nothing about one.
 * @throws Failure `token_not_for_url`
 */
export function proveNamed(item: ProvenItem, named: string | undefined): void {
  const address = named === undefined ? undefined : canonicalResource(named);
  if (address?.ok) proveAddress(item, address.value);
}

/**
 * Refuses to hand out a token alone that is bound to a key: its receiver cannot make the proofs (RFC 9449 section 7).
 * @param asked The command that would. @param item It decides, where it was read; the index knows sooner.
 * @throws Failure `dpop_bound`
 */
export function proveBare(
  login: LoginMeant & Pick<LoginRecord, 'dpop' | 'schemeTaken'>,
  asked: string,
  item?: Pick<StoredCredential, 'dpopKey'>,
): void {
  const isBound = item === undefined ? login.dpop === 'bound' || login.dpop === 'demanded' : item.dpopKey !== undefined;
  if (isBound) throw tokenBound(login, asked);
}

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
function mapLogin(
  logins: readonly LoginRecord[],
  wanted: { readonly target: string; readonly account: string | undefined; readonly wholeHost: boolean },
): PickedLogin {
  const { target, account, wholeHost } = wanted;
  const origin = originText(target);
  const onOrigin = logins.filter(({ server }) => origin !== '' && originText(server) === origin);
  const ofAccount = onOrigin.filter((login) => account === undefined || login.account === account);
  const reached = ofAccount.filter((login) => reaches(login, target, true));
  return onlyOne(wholeHost ? reached : nearest(reached, target), onOrigin[0]);
}

/** Scheme, host and port of a URL in plain form; '' for what is none. */
export function originText(url: string): string {
  const parts = splitUrl(url);
  return parts === undefined ? '' : originOf(parts);
}

/** Forgets what callers did not get for an origin; `status` shows it. Failures of this are ignored. */
export async function forgetFailures(
  { failures }: Pick<StorePorts, 'failures'>,
  server: string,
  format?: string,
): Promise<void> {
  await failures.forget(originText(server), format).catch(ignoreFailure);
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

export type PickedCredential =
  | PickedLogin
  /** The login that was named is not for the address that was asked for. */
  | { readonly kind: 'elsewhere'; readonly login: LoginRecord };

/**
 * The login that another program may have a token of: the one named in its configuration, the one mapped to the
 * address it asks for, and where it has both, only if they agree.
 */
export function pickCredential(
  all: readonly LoginRecord[],
  wanted: {
    readonly named: string | undefined;
    readonly target: string | undefined;
    readonly account: string | undefined;
    readonly wholeHost: boolean;
  },
): PickedCredential {
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
  if (reaches(login, target, wholeHost)) return picked;
  return originText(login.server) === originText(target)
    ? { kind: 'none', onOrigin: login }
    : { kind: 'elsewhere', login };
}

/**
 * Tells the HTTP client that a person named the host of an endpoint, where the login's server is there too. Such a host
 * may have a private address besides a global one; others that a server names may not.
 * @throws Failure of the HTTP client
 */
export async function nameOwnHost(
  http: HttpClient,
  server: string,
  endpoint: string,
  signal: AbortSignal,
): Promise<void> {
  if (new URL(server).hostname !== new URL(endpoint).hostname) return;
  await http.check({ url: server, namedBy: 'person', signal });
}
