import { Failure, ignoreFailure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { type IssuedToken, validateTokenResponse } from '../oauth/token.js';
import { decodeCredential, encodeCredential, type StoredCredential } from '../stores/credential-item.js';
import type { BegunRefresh, StorePorts } from '../stores/ports.js';
import { refreshNotStored } from './failures.js';
import { tryUpdate, withLogin } from './read-credential.js';
import type { TokenPorts, ValidTokenRequest } from './token-request.js';

/** How often a refreshed credential is tried to be written, with growing pauses. */
const maxWrites = 3;

const writePauseMs = 200;

/** The credential that a token follows on, with that token in it. */
export function refreshed(held: StoredCredential, token: IssuedToken): StoredCredential {
  const { accessToken, expiresAt, obtainedAt, scopes } = token;
  const refreshToken = token.refreshToken ?? held.refreshToken;
  const rest = { ...held, accessToken, expiresAt, obtainedAt, scopes };
  return refreshToken === undefined ? rest : { ...rest, refreshToken };
}

/** What an authorization server that renews it could say back. */
export function secretsOf({ accessToken, refreshToken, clientSecret }: StoredCredential) {
  return [accessToken, refreshToken, clientSecret];
}

const madeUp = '{"access_token":"a","token_type":"Bearer","expires_in":60,"refresh_token":"b","scope":"c"}';

/**
 * Goes once through what is done with an answer before it is sealed: what runs for the first time is compiled first, and
 * that is not to be waited for when a kill would lose the answer. The HTTP client does the same for its part.
 */
export async function rehearseResponse(held: StoredCredential): Promise<void> {
  const context = { now: 0, requested: held.scopes, sent: secretsOf(held) };
  const validated = await validateTokenResponse(new Response(madeUp), context);
  if (validated.ok) encodeCredential(refreshed(held, validated.token));
}

/**
 * Seals what cannot be had again, before anything else is done with it: the authorization server may have taken the old
 * refresh token back by now, and this process may be killed at any moment. False where that fails, or nothing was spent:
 * then the store alone has to do.
 */
export async function sealRefreshed(refresh: BegunRefresh, fresh: StoredCredential): Promise<boolean> {
  return (await refresh.keep(encodeCredential(fresh)).catch(ignoreFailure)) ?? false;
}

/**
 * Moves a refreshed credential into its store, then what the index tells of it. While the store goes on failing nothing
 * is handed out, and the person is told. The caller has its lock.
 * @param sealed It waits in a sealed file, and will be moved at the next use at the latest.
 * @throws Failure the store's own, with what follows from it
 */
export async function keepCredential(
  ports: TokenPorts,
  request: Pick<ValidTokenRequest, 'login' | 'signal'>,
  fresh: StoredCredential,
  sealed: boolean,
): Promise<void> {
  const { login, signal } = request;
  const item = encodeCredential(fresh);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ports.store.write(login.key, item);
      break;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (attempt === maxWrites) throw refreshNotStored(login, error, sealed);
      await ports.clock.sleep(attempt * writePauseMs, signal);
    }
  }
  if (sealed) await ports.recovery.forget(login.key).catch(ignoreFailure); // it goes the next time
  const { expiresAt, obtainedAt, scopes } = fresh;
  // The store has it: what the index tells of it is put right at the next read, where it matters.
  await tryUpdate(ports, (document) =>
    withLogin(document, login.key, (old) => ({ ...old, expiresAt, obtainedAt, scopes })),
  );
}

/**
 * The credential that a refresh got and the store does not have yet, if there is one: it follows on the stored one, whose
 * refresh token it was got with, and opens it. What was left by a refresh whose answer the store does have is of no use
 * any more, and goes. The caller has the lock of this login.
 * @throws Failure `state_unsafe`
 */
export async function recover(
  ports: Pick<StorePorts, 'recovery'>,
  login: LoginRecord,
  stored: StoredCredential,
): Promise<StoredCredential | undefined> {
  const { recovery } = ports;
  if (!(await recovery.isWaiting(login.key))) return undefined;
  const item = stored.refreshToken && (await recovery.find(login.key, stored.refreshToken));
  const decoded = item && decodeCredential(item.reveal(), stored.binding);
  const waiting = decoded && 'credential' in decoded ? decoded.credential : undefined;
  if (waiting !== undefined && follows(waiting, stored)) return waiting;
  await recovery.forget(login.key).catch(ignoreFailure);
  return undefined;
}

/** Without rotation the secret that seals is the same before and after: what the store has already is told by its token. */
function follows(waiting: StoredCredential, stored: StoredCredential): boolean {
  const isStored = waiting.accessToken.reveal() === stored.accessToken.reveal();
  return waiting.generation === stored.generation && !isStored;
}
