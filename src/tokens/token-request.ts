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
  readonly minLifeMs?: number | undefined;
  /** The token goes where it cannot be replaced, as into an environment. */
  readonly kept?: boolean;
  /** A token that the server refused although it seemed valid: any other one will do. */
  readonly rejected?: Secret | undefined;
  /** No server refused that one: another is wanted all the same (`token --refresh`). */
  readonly isAskedAnew?: boolean;
  readonly signal: AbortSignal;
}

/** What of a request says whether a stored token serves it. */
type Wanted = Pick<ValidTokenRequest, 'minLifeMs' | 'kept' | 'rejected'> & { readonly login: LoginMeant & Refusable };

type Refusable = Pick<LoginRecord, 'refusedToken'>;

type Lifetime = Refreshable & Pick<StoredCredential, 'expiresAt' | 'obtainedAt'>;

type Token = Lifetime & Pick<StoredCredential, 'accessToken'>;

export type TokenPorts = Pick<
  StorePorts,
  'assertions' | 'attempts' | 'store' | 'stores' | 'index' | 'recovery' | 'locks'
> &
  Pick<HttpPorts, 'http'> &
  Pick<CorePorts, 'clock' | 'journal' | 'progress'>;

/** A clock may be set back by less than this before the times that it gave are no longer believed. */
export const clockToleranceMs = 60_000;

/**
 * Is this token to be handed out: alive for as long as was asked, not refused, and obtained in the past? One from the
 * future shows that the clock was set back, so its end is unknown: it is refreshed, if it can be.
 */
export function usable(token: Token, wanted: Wanted, now: number): boolean {
  const isAlive = livesFor(token, minLifeOf(token, wanted.minLifeMs, wanted.kept), now);
  return isAlive && !isRefused(token, wanted) && !(isFromFuture(token, now) && isRefreshable(token));
}

/** Was the clock set back since then, on this machine or another? */
export function isFromFuture({ obtainedAt }: Pick<StoredCredential, 'obtainedAt'>, now: number): boolean {
  return obtainedAt - now > clockToleranceMs;
}

/** A token within the margin is better than none while the authorization server is out of reach. */
export function stillLives(token: Token, wanted: Pick<Wanted, 'login' | 'rejected'>, now: number): boolean {
  return livesFor(token, 0, now) && !isRefused(token, wanted);
}

export function livesFor({ expiresAt }: Lifetime, minLifeMs: number, now: number): boolean {
  return expiresAt === null || expiresAt - now > minLifeMs;
}

/** Can a new token be had without a person: with a refresh token, by asking again as the client itself, by the company's provider, or from another machine? */
export function isRefreshable({ refreshToken, grant, refreshedElsewhere }: Refreshable): boolean {
  return refreshToken !== undefined || grant !== undefined || refreshedElsewhere !== undefined;
}

type Refreshable = Pick<StoredCredential, 'refreshToken' | 'grant' | 'refreshedElsewhere'>;

/**
 * Was this token refused: with the request at hand, or by the report of another program? A login that cannot be refreshed
 * is not given up for such a report.
 */
export function isRefused(token: Token, { login, rejected }: Pick<Wanted, 'login' | 'rejected'>): boolean {
  const isReported = login.refusedToken === token.obtainedAt && isRefreshable(token);
  return isReported || rejected?.reveal() === token.accessToken.reveal();
}

/**
 * How much life a token must have left to be handed out: what is asked for, else a minute, or five where it is `kept`; of
 * a token that never lives long a tenth, or half, of its life, as it would be refreshed at every use otherwise. One that
 * cannot be refreshed is used to its end.
 */
export function minLifeOf(token: Lifetime, asked: number | undefined, kept = false): number {
  const { expiresAt, obtainedAt } = token;
  if (asked !== undefined) return asked;
  if (!isRefreshable(token)) return 0;
  const lifetime = Math.max(0, (expiresAt ?? Number.POSITIVE_INFINITY) - obtainedAt);
  return kept ? Math.min(300_000, lifetime / 2) : Math.min(60_000, lifetime / 10);
}

/** When a token that is held is looked at again: as `minLifeOf` says; where refreshing failed then, after half of what is left. */
export function usedUntil(token: Lifetime, now: number): number {
  const { expiresAt } = token;
  if (expiresAt === null) return Number.POSITIVE_INFINITY;
  return expiresAt - Math.min(minLifeOf(token, undefined), Math.max(0, expiresAt - now) / 2);
}

/** More than this is not "about to end". */
const soonMs = 60_000;

/** Why a token that cannot be refreshed without a person is not handed out. */
export function cannotRefresh(token: Token, wanted: Wanted, now: number): Failure {
  const { expiresAt } = token;
  const { login, minLifeMs, rejected } = wanted;
  if (rejected !== undefined && livesFor(token, 0, now)) {
    return livingTokenRefused(login, expiresAt === null ? null : expiresAt - now);
  }
  return expiresAt !== null && livesFor(token, soonMs, now)
    ? lifeTooShort(login, expiresAt - now, minLifeOf(token, minLifeMs))
    : loginExpired(login, 'its token has expired, or is about to, and there is no refresh token');
}
