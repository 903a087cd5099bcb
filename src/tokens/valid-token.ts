import { isFailure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing, unionScopes } from '../core/scope.js';
import type { StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import { noKeyToRefresh, noRefreshToken } from './failures.js';
import { keepCredential, refreshed } from './keep-refreshed.js';
import {
  cannotRefresh,
  isRefreshable,
  readCredential,
  type TokenPorts,
  usable,
  type ValidTokenRequest,
} from './read-credential.js';
import { refreshCredential } from './refresh.js';
import { environmentTokenOnly, scopeNotForClient } from './request-failures.js';
import { requestRefresh, tokenFailure } from './send-refresh.js';
import type { Refreshes } from './vouch.js';

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
  const { login } = request;
  if (login.store === 'environment')
    throw environmentTokenOnly('no_refresh_token', login.server, 'is never refreshed here');
  const held = await readCredential(ports, login);
  if (!isRefreshable(held)) throw noRefreshToken(login);
  return await refreshCredential(ports, { ...request, rejected: held.accessToken, isAskedAnew: true }, held);
}

/** How a login at a company's provider is refreshed for those that hang on it: as every other one. */
export function providerRefresh(ports: TokenPorts, signal: AbortSignal): Refreshes {
  return async (login, rejected) => await validToken(ports, { login, rejected, signal });
}

/**
 * Step-up of a login of the client's own, or by a company's provider (rule 5.6): asks once for the union of the scopes held
 * and wanted. A scope that is not given is not asked for again, and the login stays as it was.
 * @throws Failure `scope_not_for_client`, `token_endpoint_failed`, or the store's, lock's and HTTP client's
 */
export async function widenLogin(
  ports: TokenPorts,
  request: { readonly login: LoginRecord; readonly scopes: readonly string[]; readonly signal: AbortSignal },
): Promise<LoginRecord> {
  const { login, scopes, signal } = request;
  await using _lock = await ports.locks.acquire(login.key, { waitMs: 30_000, signal });
  const held = await readCredential(ports, login);
  // Another process was faster.
  if (scopesMissing(held.scopes, scopes).length === 0) return { ...login, scopes: held.scopes };
  if (held.refreshedElsewhere === 'no-key') throw noKeyToRefresh(login);
  ports.progress.begin('Asking for more scope');
  const wanted = unionScopes(held.scopes, scopes);
  const refresh = providerRefresh(ports, signal);
  const { result, explain, proof } = await requestRefresh(ports, { held, scopes: wanted, login, refresh, signal });
  const missing = result.ok ? scopesMissing(result.token.scopes, scopes) : scopes;
  ports.journal.record({
    name: 'step-up',
    asked: `POST ${held.tokenEndpoint}, scope ${wanted.join(' ')}`,
    came: result.ok ? `scope ${result.token.scopes.join(' ')}` : result.problem,
    rule: 'R-5.6c',
    verdict: missing.length === 0 ? 'pass' : 'failure',
  });
  if (!result.ok) {
    const failure = explain(tokenFailure(result, held.binding.issuer));
    throw result.problem === 'refused' ? scopeNotForClient(login.server, missing, failure) : failure;
  }
  if (missing.length > 0) throw scopeNotForClient(login.server, missing);
  const fresh = refreshed(proof, result.token);
  // Nothing was spent for it: where it is lost, the client asks again.
  await keepCredential(ports, request, fresh, false);
  return { ...login, expiresAt: fresh.expiresAt, obtainedAt: fresh.obtainedAt, scopes: fresh.scopes };
}
