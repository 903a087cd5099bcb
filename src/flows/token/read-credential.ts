import { credentialCorrupt, credentialNewer } from '../../errors/store.js';
import { loginNeeded } from '../../errors/token.js';
import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
import { decodeCredential, type StoredCredential } from '../../protocol/credential-item.js';

/**
 * The stored credential of a login. An item that is not this login's own is refused, kept and reported.
 * @throws Failure `login_needed`, `credential_corrupt`, `credential_newer`, or the store's
 */
export async function readCredential(
  ports: Pick<Ports, 'store'>,
  login: LoginRecord,
): Promise<StoredCredential> {
  const item = await ports.store.read(login.key);
  if (item === undefined) {
    throw loginNeeded(login.server);
  }
  const { resource, issuer, clientId, account } = login;
  const decoded = decodeCredential(item.reveal(), { resource, issuer, clientId, account });
  if (decoded.ok) {
    return decoded.credential;
  }
  throw decoded.problem === 'newer' ? credentialNewer(login.server) : credentialCorrupt(login.server);
}
