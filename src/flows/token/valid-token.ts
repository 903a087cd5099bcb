import { loginExpired } from '../../errors/token.js';
import type { LoginRecord, Ports } from '../../ports.js';
import type { Secret } from '../../primitives/secret.js';
import type { StoredCredential } from '../../protocol/credential-item.js';
import { readCredential } from './read-credential.js';
import { refreshCredential } from './refresh-credential.js';

/** A token with less life left than this is refreshed before it is handed out. */
export const defaultMinLifeMs = 60_000;

export interface ValidTokenRequest {
  readonly login: LoginRecord;
  readonly minLifeMs: number;
  /** A token that the server refused although it seemed valid: any other one will do. */
  readonly rejected: Secret | undefined;
  readonly signal: AbortSignal;
}

export interface ValidToken {
  readonly accessToken: Secret;
  /** Milliseconds since 1970; null when unknown. */
  readonly expiresAt: number | null;
  readonly scopes: readonly string[];
}

export type TokenPorts = Pick<Ports, 'store' | 'index' | 'locks' | 'door' | 'clock' | 'journal' | 'progress'>;

/**
 * A valid access token of a login: the stored one while it lives, else a refreshed one (RFC 6749 section 6), with one
 * refresh among all processes.
 * @throws Failure `login_expired`, `token_endpoint_failed`, or the store's, lock's and door's
 */
export async function validToken(ports: TokenPorts, request: ValidTokenRequest): Promise<ValidToken> {
  const credential = await readCredential(ports, request.login);
  if (usable(credential, request, ports.clock.now())) {
    return tokenOf(credential);
  }
  if (credential.refreshToken === undefined) {
    throw loginExpired(request.login.server, 'the token has expired and there is no refresh token');
  }
  return tokenOf(await refreshCredential(ports, request));
}

/** Does this credential's token still live for as long as was asked, and was not refused? */
export function usable(
  credential: Pick<StoredCredential, 'accessToken' | 'expiresAt' | 'obtainedAt'>,
  wanted: Pick<ValidTokenRequest, 'minLifeMs' | 'rejected'>,
  now: number,
): boolean {
  if (wanted.rejected !== undefined && wanted.rejected.reveal() === credential.accessToken.reveal()) {
    return false;
  }
  return credential.expiresAt === null || credential.expiresAt - now > wanted.minLifeMs;
}

function tokenOf(credential: StoredCredential): ValidToken {
  const { accessToken, expiresAt, scopes } = credential;
  return { accessToken, expiresAt, scopes };
}
