import { Failure } from '../../errors/failure.js';
import { loginExpired } from '../../errors/token.js';
import type { LoginRecord } from '../../primitives/records.js';
import { encodeCredential, type StoredCredential } from '../../protocol/credential-item.js';
import { sendRefreshRequest } from '../../protocol/oauth/token-request.js';
import {
  type IssuedToken,
  judgeTokenAnswer,
  type TokenJudgement,
} from '../../protocol/oauth/token-response.js';
import { tokenFailure } from '../login/redeem.js';
import { readCredential } from './read-credential.js';
import { type TokenPorts, usable, type ValidTokenRequest } from './token-request.js';

/** How long a process waits for another one's refresh. */
const refreshLockWaitMs = 30_000;

/**
 * Refreshes under the lock between processes: reads again, uses another process's fresh token if there is one, else
 * refreshes, writes, and only then hands out. The loser of a race never deletes.
 * @throws Failure `login_expired`, `token_endpoint_failed`, `busy`, or the store's and door's
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
  const { refreshToken } = held;
  if (refreshToken === undefined) {
    throw loginExpired(login.server, 'the token has expired and there is no refresh token');
  }
  if (await isDead(ports, login)) {
    throw loginExpired(login.server, 'the authorization server has refused its refresh token');
  }
  ports.progress.begin('Refreshing the token');
  const judged = await attempt(ports, request, { ...held, refreshToken });
  if (judged.ok) {
    return keepRefreshed(ports, login, held, judged.token);
  }
  return afterFailure(ports, request, held, judged);
}

async function attempt(
  ports: TokenPorts,
  request: ValidTokenRequest,
  held: StoredCredential & { readonly refreshToken: NonNullable<StoredCredential['refreshToken']> },
): Promise<TokenJudgement> {
  const { login, signal } = request;
  const asked = `POST ${held.tokenEndpoint}`;
  try {
    const answer = await sendRefreshRequest(ports.door, {
      endpoint: held.tokenEndpoint,
      issuer: held.binding.issuer,
      resource: held.binding.resource,
      client: { clientId: held.binding.clientId, method: held.authMethod, secret: held.clientSecret },
      refreshToken: held.refreshToken,
      scopes: held.scopes,
      zone: login.zone,
      signal,
    });
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

async function keepRefreshed(
  ports: TokenPorts,
  login: LoginRecord,
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
  await ports.store.write(login.key, encodeCredential(fresh));
  await ports.index.update((document) => ({
    ...document,
    logins: document.logins.map((record) =>
      record.key === login.key ? { ...record, expiresAt, obtainedAt, scopes } : record,
    ),
  }));
  return fresh;
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
    if (now.refreshToken?.reveal() !== held.refreshToken?.reveal()) {
      return now;
    }
    await markDead(ports, login);
    const why = `the authorization server refused its refresh token (${judged.error === '' ? judged.status : judged.error})`;
    throw loginExpired(login.server, why, tokenFailure(judged, held.binding.issuer, ports.journal));
  }
  if (stillLives(held, request, ports.clock.now())) {
    return held;
  }
  throw tokenFailure(judged, held.binding.issuer, ports.journal);
}

/** A token within the margin is better than none while the authorization server is out of reach. */
function stillLives(held: StoredCredential, request: ValidTokenRequest, now: number): boolean {
  return usable(held, { minLifeMs: 0, rejected: request.rejected }, now);
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
