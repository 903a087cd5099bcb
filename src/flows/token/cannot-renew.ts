import type { Failure } from '../../errors/failure.js';
import { lifeTooShort, livingTokenRefused, loginExpired } from '../../errors/token.js';
import type { LoginMeant } from '../../primitives/login-command.js';
import type { StoredCredential } from '../../protocol/credential-item.js';
import { alive, type ValidTokenRequest } from './token-request.js';

/** More than this is not "about to end". */
const soonMs = 60_000;

/** Why a token that cannot be renewed without a person is not handed out. */
export function cannotRenew(
  login: LoginMeant,
  credential: Pick<StoredCredential, 'accessToken' | 'expiresAt'>,
  { minLifeMs, rejected }: Pick<ValidTokenRequest, 'minLifeMs' | 'rejected'>,
  now: number,
): Failure {
  const { expiresAt } = credential;
  if (rejected !== undefined && alive(credential, { minLifeMs: 0, rejected: undefined }, now)) {
    return livingTokenRefused(login, expiresAt === null ? null : expiresAt - now);
  }
  return expiresAt !== null && alive(credential, { minLifeMs: soonMs, rejected }, now)
    ? lifeTooShort(login, expiresAt - now, minLifeMs)
    : loginExpired(login, 'its token has expired, or is about to, and there is no refresh token');
}
