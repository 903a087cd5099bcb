import { type Failure, ignoreFailure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { CorePorts } from '../core/ports.js';
import { type IndexDocument, isSharedKind, type LoginRecord } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import { endsOf } from '../core/time.js';
import type { HttpPorts } from '../http/request.js';
import { decodeCredential, encodeCredential, type StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import {
  credentialCorrupt,
  credentialNewer,
  lifeTooShort,
  livingTokenRefused,
  loginExpired,
  loginNeeded,
} from './failures.js';

type ReadPorts = Pick<StorePorts, 'store' | 'index'>;

/**
 * The stored credential of a login, and what counts where the index tells otherwise. An item that is not this login's own
 * is refused, kept and reported.
 * @throws Failure `login_needed`, `credential_corrupt`, `credential_newer`, or the store's
 */
export async function readCredential(ports: ReadPorts, login: LoginRecord): Promise<StoredCredential> {
  const item = await ports.store.read(login.key);
  if (item === undefined) {
    await markGone(ports, login);
    throw loginNeeded(login);
  }
  const decoded = decodeCredential(item.reveal(), login);
  if (!decoded.ok) throw decoded.problem === 'newer' ? credentialNewer(login.server) : credentialCorrupt(login);
  await repairRecord(ports, login, decoded.credential);
  return decoded.credential;
}

/** Another program has removed it: `status` says so from now on. */
async function markGone(ports: Pick<StorePorts, 'index'>, { key, generation }: LoginRecord): Promise<void> {
  const gone = (old: LoginRecord) =>
    old.generation === generation && old.gone !== true ? { ...old, gone: true } : old;
  await tryUpdate(ports, (document) => withLogin(document, key, gone));
}

/** Its refresh token was refused for good. Where machines share the login, no other one sends it again. @throws Failure of the index */
export async function markDead(
  { store, index }: ReadPorts,
  login: LoginRecord,
  held: StoredCredential,
  refusal: string,
): Promise<void> {
  await index.update((document) => withLogin(document, login.key, (old) => ({ ...old, dead: true, refusal })));
  const ended = encodeCredential({ ...held, ended: true });
  if (isSharedKind(login.store)) await store.write(login.key, ended).catch(ignoreFailure);
}

/**
 * Puts right what the index tells of a credential. A login or refresh is written to the store first: one that was
 * killed before it came to the index has left a record of what was there earlier (other scopes, even "dead").
 */
async function repairRecord(
  ports: Pick<StorePorts, 'index'>,
  login: LoginRecord,
  credential: StoredCredential,
): Promise<void> {
  if (!isBehind(login, credential)) return;
  const { scopes, expiresAt, obtainedAt, generation } = credential;
  const repaired = (record: LoginRecord): LoginRecord => {
    if (!isBehind(record, credential)) return record;
    const { dead, gone: _, refreshExpiresAt: __, ...rest } = record;
    const isDead = (dead === true && record.generation === generation) || credential.ended === true;
    const stillDead = isDead ? { dead: true } : {};
    const refreshable = isRefreshable(credential);
    return { ...rest, ...stillDead, ...endsOf(credential), scopes, expiresAt, obtainedAt, refreshable, generation };
  };
  await tryUpdate(ports, (document) => withLogin(document, login.key, repaired));
}

/** The index with the logins of this key changed, those at providers, too; the same object where nothing changes. */
export function withLogin(
  document: IndexDocument,
  key: string,
  change: (login: LoginRecord) => LoginRecord,
): IndexDocument {
  const changed = (list: readonly LoginRecord[]) => {
    const after = list.map((login) => (login.key === key ? change(login) : login));
    return after.some((login, at) => login !== list[at]) ? after : list;
  };
  const { providers = [] } = document;
  const [logins, others] = [changed(document.logins), changed(providers)];
  if (logins === document.logins && others === providers) return document;
  return { ...document, logins, ...(others === providers ? {} : { providers: others }) };
}

/** For changes that only correct the index: a token is handed out on a full disk, too. */
export async function tryUpdate(
  ports: Pick<StorePorts, 'index'>,
  change: (document: IndexDocument) => IndexDocument,
): Promise<void> {
  await ports.index.update(change).catch(ignoreFailure);
}

/** A record of a later generation is a newer login's: then it is the credential at hand that is old. */
function isBehind(record: LoginRecord, { generation, scopes, obtainedAt, ended }: StoredCredential): boolean {
  const sameScopes = [...record.scopes].sort().join(' ') === [...scopes].sort().join(' ');
  // Another machine has refreshed it, or has heard that it is over; or a process was killed before it wrote the index.
  const isOlder = record.obtainedAt < obtainedAt || (ended === true && !record.dead);
  return record.generation < generation || (record.generation === generation && (!sameScopes || isOlder));
}

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
