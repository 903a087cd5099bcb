import { isFailure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import { isSharedKind, type LoginRecord } from '../core/records.js';
import type { StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import type { Refreshes } from './company/vouch.js';
import { noRefreshToken, tokenTooShort } from './failures.js';
import { readCredential } from './read-credential.js';
import { refreshCredential } from './refresh.js';
import { environmentTokenFixed } from './request-failures.js';
import { widenCredential } from './send-refresh.js';
import { cannotRefresh, isRefreshable, type TokenPorts, usable, type ValidTokenRequest } from './token-request.js';

/**
 * A valid access token of a login: the stored one while it lives, else a refreshed one (RFC 6749 section 6), with one
 * refresh among all processes. Its binding names the server: prove a request's address by it (`proveAddress`).
 * @throws Failure `login_expired`, `token_endpoint_failed`, or the store's, lock's and HTTP client's
 */
export function validToken(ports: TokenPorts, request: ValidTokenRequest): Promise<StoredCredential> {
  return storedOrRefreshed(ports, request, (held, of) => refreshCredential(ports, of, held));
}

/**
 * The same, however it is refreshed. A shared login that another machine has made anew, as another client, is that one.
 * @throws as `validToken`, and what `refresh` throws
 */
export async function storedOrRefreshed(
  ports: Pick<StorePorts, 'store' | 'index' | 'locks' | 'recovery'> & Pick<CorePorts, 'clock'>,
  request: ValidTokenRequest,
  refresh: (held: StoredCredential, request: ValidTokenRequest) => Promise<StoredCredential>,
): Promise<StoredCredential> {
  try {
    return await stored(ports, request, refresh);
  } catch (error) {
    const login = isFailure(error, 'login_needed') ? await madeElsewhere(ports, request.login) : undefined;
    if (login === undefined) throw error;
    return await stored(ports, { ...request, login }, refresh);
  }
}

async function madeElsewhere(
  { index }: Pick<StorePorts, 'index'>,
  { store, key, server, account }: LoginRecord,
): Promise<LoginRecord | undefined> {
  if (!isSharedKind(store)) return undefined;
  await index.adopt?.(store);
  const { logins } = await index.read();
  return logins.find((login) => login.server === server && login.account === account && login.key !== key);
}

async function stored(
  ports: Parameters<typeof storedOrRefreshed>[0],
  request: ValidTokenRequest,
  refresh: Parameters<typeof storedOrRefreshed>[2],
): Promise<StoredCredential> {
  const { login } = request;
  const held = await readCredential(ports, login);
  const isUsable = usable(held, request, ports.clock.now());
  // A refresh that was killed may have left a newer one, with which this one may have ended.
  if (isUsable && !(await ports.recovery.isWaiting(login.key))) return held;
  if (!isUsable && !isRefreshable(held)) throw cannotRefresh(held, request, ports.clock.now());
  try {
    return await refresh(held, request);
  } catch (error) {
    if (isUsable && isFailure(error)) return held;
    throw error;
  }
}

/**
 * Another token than the stored one, though that may live: because a person or script wants it.
 * @throws Failure `no_refresh_token`, or as `validToken`
 */
export async function refreshedToken(ports: TokenPorts, request: ValidTokenRequest): Promise<StoredCredential> {
  if (request.login.store === 'environment') throw environmentTokenFixed(request.login.server);
  const held = await readCredential(ports, request.login);
  if (!isRefreshable(held)) throw noRefreshToken(request.login);
  return await refreshCredential(ports, { ...request, rejected: held.accessToken, isAskedAnew: true }, held);
}

/**
 * A token that is kept where it cannot be replaced: refreshed when it has less life left than
 * `minLifeMs`, and refused when a fresh one has less, too.
 * @throws Failure `token_too_short`, or those of `validToken`
 */
export async function tokenToKeep(
  ports: TokenPorts,
  request: ValidTokenRequest & { readonly minLifeMs: number },
): Promise<StoredCredential> {
  const token = await validToken(ports, request);
  const left = (token.expiresAt ?? Number.POSITIVE_INFINITY) - ports.clock.now();
  if (left < request.minLifeMs) throw tokenTooShort(request.login, left, request.minLifeMs);
  return token;
}

/** How a login at a company's provider is refreshed for those that hang on it: as every other one. */
export function providerRefresh(ports: TokenPorts, signal: AbortSignal): Refreshes {
  return async (login, rejected) => await validToken(ports, { login, rejected, signal });
}

/** More scope without a person. @throws Failure as `widenCredential` */
export function widenLogin(
  ports: TokenPorts,
  request: { readonly login: LoginRecord; readonly scopes: readonly string[]; readonly signal: AbortSignal },
): Promise<LoginRecord> {
  return widenCredential(ports, { ...request, refresh: providerRefresh(ports, request.signal) });
}
