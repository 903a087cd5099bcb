import { Failure } from '../core/failure.js';
import type { StoredCredential } from '../stores/credential-item.js';
import { noRefreshToken, tokenTooShort } from './failures.js';
import { readAndUpgrade } from './read-credential.js';
import { refreshCredential } from './refresh.js';
import {
  cannotRefresh,
  isRefreshable,
  reportedRefused,
  type TokenPorts,
  usable,
  usedUntil,
  type ValidTokenRequest,
} from './token-request.js';

export interface ValidToken extends Pick<StoredCredential, 'accessToken' | 'expiresAt' | 'obtainedAt' | 'scopes'> {
  /** When whoever holds it asks for another one, as `usedUntil`. */
  readonly until: number;
  /** The one that the stored item names: prove a request's address by it (`proveAddress`). */
  readonly server: string;
}

/**
 * A valid access token of a login: the stored one while it lives, else a refreshed one (RFC 6749 section 6), with one
 * refresh among all processes.
 * @throws Failure `login_expired`, `token_endpoint_failed`, or the store's, lock's and HTTP client's
 */
export async function validToken(ports: TokenPorts, request: ValidTokenRequest): Promise<ValidToken> {
  const credential = await readAndUpgrade(ports, request.login, request.signal);
  const wanted = { ...request, rejected: request.rejected ?? reportedRefused(request.login, credential) };
  if (usable(credential, wanted, ports.clock.now())) return tokenOf(ports, await newest(ports, wanted, credential));
  if (!isRefreshable(credential)) throw cannotRefresh(request.login, credential, wanted, ports.clock.now());
  return tokenOf(ports, await refreshCredential(ports, wanted));
}

/**
 * Another token than the stored one, though that may live: for whoever was refused with it.
 * @throws Failure `no_refresh_token`, or as `validToken`
 */
export async function refreshedToken(
  ports: TokenPorts,
  request: Omit<ValidTokenRequest, 'rejected'>,
): Promise<ValidToken> {
  const held = await readAndUpgrade(ports, request.login, request.signal);
  if (!isRefreshable(held)) throw noRefreshToken(request.login);
  return tokenOf(ports, await refreshCredential(ports, { ...request, rejected: held.accessToken }));
}

/** A refresh that was killed may have left a newer one, with which this one may have ended. */
async function newest(
  ports: TokenPorts,
  request: ValidTokenRequest,
  credential: StoredCredential,
): Promise<StoredCredential> {
  if (!(await ports.recovery.isWaiting(request.login.key))) return credential;
  try {
    return await refreshCredential(ports, request);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return credential;
  }
}

function tokenOf({ clock }: TokenPorts, credential: StoredCredential): ValidToken {
  const { accessToken, expiresAt, obtainedAt, scopes, binding } = credential;
  const until = usedUntil(credential, clock.now());
  return { server: binding.server, accessToken, expiresAt, obtainedAt, scopes, until };
}

/**
 * A token for somebody who keeps it and cannot come back for another: refreshed when it has less life left than
 * `minLifeMs`, and refused when a fresh one has less, too.
 * @throws Failure `token_too_short`, or those of `validToken`
 */
export async function tokenToKeep(
  ports: TokenPorts,
  request: Omit<ValidTokenRequest, 'rejected'> & { readonly minLifeMs: number },
): Promise<ValidToken> {
  const token = await validToken(ports, { ...request, rejected: undefined });
  const { expiresAt } = token;
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - ports.clock.now();
  if (left < request.minLifeMs) throw tokenTooShort(request.login, left, request.minLifeMs);
  return token;
}
