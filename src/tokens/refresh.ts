import { Failure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { type FailedToken, type TokenResult, validateTokenResponse } from '../oauth/token.js';
import { encodeCredential, type StoredCredential } from '../stores/credential-item.js';
import type { BegunRefresh, Lock } from '../stores/ports.js';
import { currentProofs } from './client-keys.js';
import { loginExpired, refreshLeftElsewhere } from './failures.js';
import { keepCredential, recover, refreshed, rehearseResponse, sealRefreshed, secretsOf } from './keep-refreshed.js';
import { readCredential } from './read-credential.js';
import { forgetRegistration } from './registrations.js';
import { checkSubject, countRefused, sendRefresh, tokenFailure } from './send-refresh.js';
import {
  cannotRefresh,
  isRefreshable,
  stillLives,
  type TokenPorts,
  usable,
  type ValidTokenRequest,
} from './token-request.js';

/**
 * Refreshes under the lock between processes: reads again, uses another process's fresh token if there is one, else
 * refreshes, seals the answer, writes it, and only then hands out. The loser of a race never deletes.
 * @throws Failure `login_expired`, `token_endpoint_failed`, `refresh_not_stored`, `busy`, or the store's and HTTP client's
 */
export async function refreshCredential(ports: TokenPorts, request: ValidTokenRequest): Promise<StoredCredential> {
  const { login } = request;
  const lock = await takeTurn(ports, request);
  if (!('turn' in lock)) return lock;
  await using turn = lock.turn;
  const stored = await readCredential(ports, login);
  const recovered = await recover(ports, login, stored);
  const held = recovered ?? stored;
  if (recovered !== undefined) await keepCredential(ports, request, recovered, true);
  if (usable(held, request, ports.clock.now())) return held;
  if (!isRefreshable(held)) throw cannotRefresh(login, held, request, ports.clock.now());
  if (await isDead(ports, login)) throw loginExpired(login, 'the authorization server has refused to renew it');
  if (await isSpentElsewhere(ports, request, held)) return held;
  const begun = await begin(ports, request, held);
  if (begun === 'no room') return held;
  await using refresh = begun;
  await countRefused(ports, request);
  await rehearseResponse(held);
  // Paused for so long that another machine took the lock: what is stored may be another one now.
  if (!turn.isHeld()) return await refreshCredential(ports, request);
  ports.progress.begin('Refreshing the token');
  const { judged, held: asked } = await attempt(ports, request, held);
  if (!judged.ok) return await afterFailure(ports, request, held, judged);
  checkSubject(held, judged.token);
  const fresh = refreshed(asked, judged.token);
  const sealed = await sealRefreshed(refresh, fresh);
  // Sealed, it follows on the stored credential or on none: who has the lock finds out.
  if (sealed && !turn.isHeld()) return await refreshCredential(ports, request);
  await keepCredential(ports, request, fresh, sealed);
  return fresh;
}

/**
 * Has a process out of sight sent this refresh token, and not come back? Used a second time, it could cost both the login.
 * @throws Failure `login_expired` where the token at hand has ended
 */
async function isSpentElsewhere(
  ports: TokenPorts,
  request: ValidTokenRequest,
  held: StoredCredential,
): Promise<boolean> {
  const { login } = request;
  const other = held.refreshToken && (await ports.recovery.begunElsewhere(login.key, held.refreshToken));
  if (other === undefined) return false;
  if (stillLives(held, request, ports.clock.now())) return true;
  throw refreshLeftElsewhere(login, other.since);
}

/**
 * Begins with room for what the authorization server is about to give: the refresh token is spent by then. Without it
 * nothing is asked; 'no room' where the token at hand still lives.
 * @throws Failure `state_unwritable`
 */
async function begin(
  ports: TokenPorts,
  request: ValidTokenRequest,
  held: StoredCredential,
): Promise<BegunRefresh | 'no room'> {
  const bytes = encodeCredential(held).reveal().length;
  const spent = held.grant === undefined ? held.refreshToken : undefined;
  try {
    return await ports.recovery.begin(request.login.key, { bytes, spent });
  } catch (error) {
    if (error instanceof Failure && stillLives(held, request, ports.clock.now())) return 'no room';
    throw error;
  }
}

/** An attempt, and the credential with the proof that it was made with. */
interface Attempt {
  readonly judged: TokenResult;
  readonly held: StoredCredential;
}

/** Asks; once more with the next key where the server does not know the first: authentication comes before anything is spent. */
async function attempt(ports: TokenPorts, request: ValidTokenRequest, stored: StoredCredential): Promise<Attempt> {
  const proofs = await currentProofs(ports, request.login, stored);
  for (const held of proofs.slice(0, -1)) {
    const judged = await ask(ports, request, held);
    const isUnknown = !judged.ok && judged.problem === 'refused' && judged.error === 'invalid_client';
    if (!isUnknown) return { judged, held };
  }
  const held = proofs.at(-1) ?? stored;
  return { judged: await ask(ports, request, held), held };
}

async function ask(ports: TokenPorts, request: ValidTokenRequest, held: StoredCredential): Promise<TokenResult> {
  const { login, signal } = request;
  const asked = `POST ${held.tokenEndpoint}`;
  try {
    const response = await sendRefresh(ports.http, { held, scopes: held.scopes, login, signal });
    const judged = await validateTokenResponse(response, {
      now: ports.clock.now(),
      requested: held.scopes,
      sent: secretsOf(held),
    });
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

async function afterFailure(
  ports: TokenPorts,
  request: ValidTokenRequest,
  held: StoredCredential,
  judged: FailedToken,
): Promise<StoredCredential> {
  const { login } = request;
  if (judged.problem === 'refused') {
    // A process that does not keep to the lock (another machine's home) may have refreshed in the meantime.
    const now = await readCredential(ports, login);
    const proof = ({ refreshToken, accessToken }: StoredCredential) => (refreshToken ?? accessToken).reveal();
    if (proof(now) !== proof(held)) return now;
    await markDead(ports, login);
    if (judged.error === 'invalid_client' && login.registration === 'dynamic') {
      // The next login registers anew instead of sending the person to a page that says "unknown client".
      await forgetRegistration(ports, held.binding);
    }
    const why = `the authorization server refused to renew it (${judged.error === '' ? judged.status : judged.error})`;
    throw loginExpired(login, why, tokenFailure(judged, held.binding.issuer));
  }
  if (stillLives(held, request, ports.clock.now())) return held;
  throw tokenFailure(judged, held.binding.issuer);
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

/** How long a process waits for another one's refresh: not long while the token that it has still lives. */
const refreshLockWaitMs = { tokenLives: 5_000, tokenEnded: 30_000 } as const;

/** The lock; or the stored credential where it lives on and the lock is another's, a paused one's perhaps, or cannot be had. */
export async function takeTurn(
  ports: TokenPorts,
  request: ValidTokenRequest,
): Promise<{ readonly turn: Lock } | StoredCredential> {
  const { login, signal } = request;
  const { tokenLives, tokenEnded } = refreshLockWaitMs;
  const wait = async (waitMs: number) => ({ turn: await ports.locks.acquire(login.key, { waitMs, signal }) });
  const held = await readCredential(ports, login);
  if (!stillLives(held, request, ports.clock.now())) return wait(tokenEnded);
  try {
    // Nothing has to be waited for where only an answer is to be moved that another process may have in hand.
    return await wait(usable(held, request, ports.clock.now()) ? 0 : tokenLives);
  } catch (error) {
    // On a full or read-only disk there is no lock to be had, and no refresh without it.
    const noLock = error instanceof Failure && error.code === 'state_unwritable';
    if (!noLock && !(error instanceof Failure && error.code === 'busy')) throw error;
    const now = await readCredential(ports, login);
    if (stillLives(now, request, ports.clock.now())) return now;
    if (noLock) throw error;
    return wait(tokenEnded - tokenLives);
  }
}
