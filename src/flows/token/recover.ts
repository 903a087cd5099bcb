import { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
import { decodeCredential, type StoredCredential } from '../../protocol/credential-item.js';

/**
 * The credential that a refresh got and the store does not have yet, if there is one: it follows on the stored one, whose
 * refresh token it was got with, and opens it. What was left by a refresh whose answer the store does have is of no use
 * any more, and goes. The caller has the lock of this login.
 * @throws Failure `state_unsafe`
 */
export async function recover(
  ports: Pick<Ports, 'recovery'>,
  login: LoginRecord,
  stored: StoredCredential,
): Promise<StoredCredential | undefined> {
  const { recovery } = ports;
  if (!(await recovery.isWaiting(login.key))) {
    return undefined;
  }
  const item = stored.refreshToken && (await recovery.find(login.key, stored.refreshToken));
  const decoded = item && decodeCredential(item.reveal(), stored.binding);
  const waiting = decoded && 'credential' in decoded ? decoded.credential : undefined;
  if (waiting !== undefined && follows(waiting, stored)) {
    return waiting;
  }
  await tryForget(ports, login);
  return undefined;
}

/** Takes away what a refresh has left; where that fails, it is of no harm, and goes the next time. */
export async function tryForget(
  { recovery }: Pick<Ports, 'recovery'>,
  { key }: Pick<LoginRecord, 'key'>,
): Promise<void> {
  try {
    await recovery.forget(key);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

/** Without rotation the secret that seals is the same before and after: what the store has already is told by its token. */
function follows(waiting: StoredCredential, stored: StoredCredential): boolean {
  const isStored = waiting.accessToken.reveal() === stored.accessToken.reveal();
  return waiting.generation === stored.generation && !isStored;
}
