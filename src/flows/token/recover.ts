import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
import { decodeCredential, type StoredCredential } from '../../protocol/credential-item.js';

/**
 * The credential that a refresh got and the store would not take, if there is one: it follows on the stored one, whose
 * refresh token it was got with, and opens it. The caller has the lock of this login.
 * @throws Failure `state_unsafe`
 */
export async function recover(
  ports: Pick<Ports, 'recovery'>,
  login: LoginRecord,
  stored: StoredCredential,
): Promise<StoredCredential | undefined> {
  if (stored.refreshToken === undefined) {
    return undefined;
  }
  const item = await ports.recovery.find(login.key, stored.refreshToken);
  const decoded = item && decodeCredential(item.reveal(), stored.binding);
  return decoded?.ok && decoded.credential.generation === stored.generation ? decoded.credential : undefined;
}
