import type { LoginRecord } from '../../core/records.js';
import type { StoredCredential } from '../../stores/credential-item.js';
import { readCredential } from '../read-credential.js';
import { isRefused, stillLives, type TokenPorts, usable, type ValidTokenRequest } from '../token-request.js';
import { noKeyToRefresh, tokenNotRefreshed } from './failures.js';

/** How long a machine that only reads waits for another one's refresh, in milliseconds. */
const patienceMs = 10_000;

const pauseMs = 400;

/**
 * What a machine does that has nothing to refresh with: it uses the token while that lives, and waits a little for another
 * machine's. @throws Failure `token_not_refreshed`, `store_key_missing`, or the store's
 */
export async function awaitRefreshed(
  ports: Pick<TokenPorts, 'store' | 'index' | 'clock' | 'progress'>,
  request: ValidTokenRequest,
  first: StoredCredential,
): Promise<StoredCredential> {
  const { login, signal } = request;
  const since = ports.clock.monotonic();
  for (let held = first; ; held = await readCredential(ports, login)) {
    const now = ports.clock.now();
    if (usable(held, request, now) || stillLives(held, request, now)) return held;
    checkWhole(held, login);
    const waited = ports.clock.monotonic() - since;
    if (waited >= patienceMs) throw tokenNotRefreshed(login, waited, isRefused(held, request));
    ports.progress.begin('Waiting for another machine to refresh the token');
    await ports.clock.sleep(pauseMs + Math.random() * pauseMs, signal);
  }
}

/** @throws Failure `store_key_missing` where of a shared login only the half is at hand that everybody reads */
export function checkWhole({ refreshedElsewhere: why }: StoredCredential, login: LoginRecord): void {
  if (why === 'no-key') throw noKeyToRefresh(login);
}
