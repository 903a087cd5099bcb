import { Failure } from '../../errors/failure.js';
import { loginExpired, refreshNotStored } from '../../errors/token.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import { encodeCredential, type StoredCredential } from '../../protocol/credential-item.js';
import {
  type IssuedToken,
  judgeTokenAnswer,
  type TokenJudgement,
} from '../../protocol/oauth/token-response.js';
import { tokenFailure } from '../login/redeem.js';
import { forgetRegistration } from '../login/registrations.js';
import { readCredential } from './read-credential.js';
import { sendRenewal } from './send-renewal.js';
import { alive, renewable, type TokenPorts, usable, type ValidTokenRequest } from './token-request.js';

/** How long a process waits for another one's refresh. */
const refreshLockWaitMs = 30_000;
/** How often a refreshed credential is tried to be written, with growing pauses. */
const mostWrites = 3;
const writePauseMs = 200;

/**
 * Refreshes under the lock between processes: reads again, uses another process's fresh token if there is one, else
 * refreshes, writes, and only then hands out. The loser of a race never deletes.
 * @throws Failure `login_expired`, `token_endpoint_failed`, `refresh_not_stored`, `busy`, or the store's and door's
 */
export async function refreshCredential(
  ports: TokenPorts,
  request: ValidTokenRequest,
): Promise<StoredCredential> {
  const { login, signal } = request;
  await using _lock = await ports.locks.acquire(login.key, { waitMs: refreshLockWaitMs, signal });
  const held = await readCredential(ports, login);
  if (usable(held, request, ports.clock.now())) {
    return held;
  }
  if (!renewable(held)) {
    throw loginExpired(login.server, 'the token has expired and there is no refresh token');
  }
  if (await isDead(ports, login)) {
    throw loginExpired(login.server, 'the authorization server has refused to renew it', undefined, login);
  }
  ports.progress.begin('Refreshing the token');
  const judged = await attempt(ports, request, held);
  if (judged.ok) {
    return keepRefreshed(ports, request, held, judged.token);
  }
  return afterFailure(ports, request, held, judged);
}

async function attempt(
  ports: TokenPorts,
  request: ValidTokenRequest,
  held: StoredCredential,
): Promise<TokenJudgement> {
  const { login, signal } = request;
  const asked = `POST ${held.tokenEndpoint}`;
  try {
    const answer = await sendRenewal(ports.door, { held, scopes: held.scopes, zone: login.zone, signal });
    const judged = judgeTokenAnswer(answer, { now: ports.clock.now(), requested: held.scopes });
    const came = judged.ok ? 'a Bearer token' : judged.problem;
    ports.journal.record({
      name: 'refresh',
      asked,
      came,
      rule: 'R-2.5a',
      verdict: judged.ok ? 'pass' : 'failure',
    });
    return judged;
  } catch (error) {
    if (error instanceof Failure && stillLives(held, request, ports.clock.now())) {
      ports.journal.record({
        name: 'refresh',
        asked,
        came: error.message,
        rule: 'R-5.8a',
        verdict: 'warning',
      });
      return { ok: false, problem: 'transient', status: 0, retryAfterMs: undefined };
    }
    throw error;
  }
}

/** Writes a token got without a person: the item first, then the index. @throws Failure `refresh_not_stored`, or the index's */
export async function keepRefreshed(
  ports: TokenPorts,
  { login, signal }: Pick<ValidTokenRequest, 'login' | 'signal'>,
  held: StoredCredential,
  token: IssuedToken,
): Promise<StoredCredential> {
  const { accessToken, expiresAt, obtainedAt, scopes } = token;
  const refreshToken = token.refreshToken ?? held.refreshToken;
  const fresh: StoredCredential = {
    ...held,
    accessToken,
    expiresAt,
    obtainedAt,
    scopes,
    ...(refreshToken === undefined ? {} : { refreshToken }),
  };
  await writeForSure(ports, login, encodeCredential(fresh), signal);
  await ports.index.update((document) => ({
    ...document,
    logins: document.logins.map((record) =>
      record.key === login.key ? { ...record, expiresAt, obtainedAt, scopes } : record,
    ),
  }));
  return fresh;
}

/**
 * Writes what cannot be had again: the authorization server may have taken the old refresh token back by now. A store
 * that fails for a moment is tried again; if it goes on failing, nothing is handed out, and the person is told.
 * @throws Failure the store's own, with what follows from it
 */
async function writeForSure(
  ports: TokenPorts,
  login: LoginRecord,
  item: Secret,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ports.store.write(login.key, item);
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (attempt === mostWrites) throw refreshNotStored(login.server, error);
      await ports.clock.sleep(attempt * writePauseMs, signal);
    }
  }
}

async function afterFailure(
  ports: TokenPorts,
  request: ValidTokenRequest,
  held: StoredCredential,
  judged: Exclude<TokenJudgement, { readonly ok: true }>,
): Promise<StoredCredential> {
  const { login } = request;
  if (judged.problem === 'refused') {
    // A process that does not keep to the lock (another machine's home) may have refreshed in the meantime.
    const now = await readCredential(ports, login);
    const proof = ({ refreshToken, accessToken }: StoredCredential) => (refreshToken ?? accessToken).reveal();
    if (proof(now) !== proof(held)) {
      return now;
    }
    await markDead(ports, login);
    if (judged.error === 'invalid_client' && login.registration === 'dynamic') {
      // The next login registers anew instead of sending the person to a page that says "unknown client".
      await forgetRegistration(ports, held.binding);
    }
    const why = `the authorization server refused to renew it (${judged.error === '' ? judged.status : judged.error})`;
    throw loginExpired(login.server, why, tokenFailure(judged, held.binding.issuer, ports.journal), login);
  }
  if (stillLives(held, request, ports.clock.now())) {
    return held;
  }
  throw tokenFailure(judged, held.binding.issuer, ports.journal);
}

/** A token within the margin is better than none while the authorization server is out of reach. */
function stillLives(held: StoredCredential, request: ValidTokenRequest, now: number): boolean {
  return alive(held, { minLifeMs: 0, rejected: request.rejected }, now);
}

async function isDead(ports: TokenPorts, login: LoginRecord): Promise<boolean> {
  const { logins } = await ports.index.read();
  return logins.some((record) => record.key === login.key && record.dead === true);
}

async function markDead(ports: TokenPorts, login: LoginRecord): Promise<void> {
  await ports.index.update((document) => ({
    ...document,
    logins: document.logins.map((record) => (record.key === login.key ? { ...record, dead: true } : record)),
  }));
}
