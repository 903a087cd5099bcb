import type { Failure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { HttpPorts } from '../http/request.js';
import type { StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import { lifeTooShort, livingTokenRefused, loginExpired } from './failures.js';

export interface ValidTokenRequest {
  readonly login: LoginRecord;
  /** What a person or program asks for; undefined: the rule of `minLifeOf`. */
  readonly minLifeMs: number | undefined;
  /** A token that the server refused although it seemed valid: any other one will do. */
  readonly rejected: Secret | undefined;
  readonly signal: AbortSignal;
}

export type TokenPorts = Pick<StorePorts, 'attempts' | 'store' | 'stores' | 'index' | 'recovery' | 'locks'> &
  Pick<HttpPorts, 'http'> &
  Pick<CorePorts, 'clock' | 'journal' | 'progress'>;

/** A clock may be set back by less than this before the times that it gave are no longer believed. */
const clockToleranceMs = 60_000;

/**
 * Is this credential's token to be handed out: alive for as long as was asked, not refused, and obtained in the past?
 * One from the future tells of a clock that was set back, so that nobody knows when it ends: it is refreshed, if it
 * can be.
 */
export function usable(
  credential: Lifetime & Pick<StoredCredential, 'accessToken'>,
  wanted: Pick<ValidTokenRequest, 'minLifeMs' | 'rejected'>,
  now: number,
): boolean {
  const fromTheFuture = credential.obtainedAt - now > clockToleranceMs;
  return alive(credential, wanted, now) && !(fromTheFuture && isRefreshable(credential));
}

/** Can a new token be had without a person: with a refresh token, or by asking again as the client itself? */
export function isRefreshable(credential: Pick<StoredCredential, 'refreshToken' | 'grant'>): boolean {
  return credential.refreshToken !== undefined || credential.grant === 'client_credentials';
}

/**
 * The token of this credential when another program has reported that very one as refused, and another can be had;
 * a login that cannot be renewed is not given up for such a report.
 */
export function reportedRefused(
  login: Pick<LoginRecord, 'refusedToken'>,
  credential: Pick<StoredCredential, 'accessToken' | 'refreshToken' | 'grant' | 'obtainedAt'>,
): Secret | undefined {
  return login.refusedToken === credential.obtainedAt && isRefreshable(credential) ? credential.accessToken : undefined;
}

type Lifetime = Pick<StoredCredential, 'refreshToken' | 'grant' | 'expiresAt' | 'obtainedAt'>;

/**
 * How much life a token must have left to be handed out: what is asked for, else a minute, or five where it is `kept`, as
 * in an environment; of a token that never lives long a tenth, or half, of its life, as it would be refreshed at every use
 * otherwise. One that cannot be refreshed is used to its end.
 */
export function minLifeOf(credential: Lifetime, asked: number | undefined, kept = false): number {
  const { expiresAt, obtainedAt } = credential;
  if (asked !== undefined) return asked;
  if (!isRefreshable(credential)) return 0;
  const lifetime = Math.max(0, (expiresAt ?? Number.POSITIVE_INFINITY) - obtainedAt);
  return kept ? Math.min(300_000, lifetime / 2) : Math.min(60_000, lifetime / 10);
}

/** When a token that is held is looked at again: as `minLifeOf` says; where refreshing failed then, after half of what is left. */
export function usedUntil(credential: Lifetime, now: number): number {
  const { expiresAt } = credential;
  if (expiresAt === null) return Number.POSITIVE_INFINITY;
  return expiresAt - Math.min(minLifeOf(credential, undefined), Math.max(0, expiresAt - now) / 2);
}

/** Does this credential's token live for as long as was asked, and was it not refused? */
export function alive(
  credential: Lifetime & Pick<StoredCredential, 'accessToken'>,
  wanted: Pick<ValidTokenRequest, 'minLifeMs' | 'rejected'>,
  now: number,
): boolean {
  if (wanted.rejected !== undefined && wanted.rejected.reveal() === credential.accessToken.reveal()) return false;
  return credential.expiresAt === null || credential.expiresAt - now > minLifeOf(credential, wanted.minLifeMs);
}

/** A token within the margin is better than none while the authorization server is out of reach. */
export function stillLives(held: StoredCredential, request: Pick<ValidTokenRequest, 'rejected'>, now: number): boolean {
  return alive(held, { minLifeMs: 0, rejected: request.rejected }, now);
}

/** More than this is not "about to end". */
const soonMs = 60_000;

/** Why a token that cannot be renewed without a person is not handed out. */
export function cannotRefresh(
  login: LoginMeant,
  credential: Lifetime & Pick<StoredCredential, 'accessToken'>,
  { minLifeMs, rejected }: Pick<ValidTokenRequest, 'minLifeMs' | 'rejected'>,
  now: number,
): Failure {
  const { expiresAt } = credential;
  if (rejected !== undefined && alive(credential, { minLifeMs: 0, rejected: undefined }, now)) {
    return livingTokenRefused(login, expiresAt === null ? null : expiresAt - now);
  }
  return expiresAt !== null && alive(credential, { minLifeMs: soonMs, rejected }, now)
    ? lifeTooShort(login, expiresAt - now, minLifeOf(credential, minLifeMs))
    : loginExpired(login, 'its token has expired, or is about to, and there is no refresh token');
}
