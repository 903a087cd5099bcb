import { credentialCorrupt, credentialNewer } from '../../errors/store.js';
import { loginNeeded } from '../../errors/token.js';
import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
import { decodeCredential, type StoredCredential } from '../../protocol/credential-item.js';
import { mendRecord, tryUpdate } from './mend-record.js';

/**
 * The stored credential of a login, and what counts where the index tells otherwise. An item that is not this login's own
 * is refused, kept and reported.
 * @throws Failure `login_needed`, `credential_corrupt`, `credential_newer`, or the store's
 */
export async function readCredential(
  ports: Pick<Ports, 'store' | 'index'>,
  login: LoginRecord,
): Promise<StoredCredential> {
  const item = await ports.store.read(login.key);
  if (item === undefined) {
    await markGone(ports, login);
    throw loginNeeded(login);
  }
  const { resource, issuer, clientId, account } = login;
  const decoded = decodeCredential(item.reveal(), { resource, issuer, clientId, account });
  if (decoded.ok) {
    await mendRecord(ports, login, decoded.credential);
    return decoded.credential;
  }
  throw decoded.problem === 'newer' ? credentialNewer(login.server) : credentialCorrupt(login);
}

/** Somebody else has removed it: `status` is to say so from now on. */
async function markGone(ports: Pick<Ports, 'index'>, login: LoginRecord): Promise<void> {
  const isIt = ({ key, generation, gone }: LoginRecord) =>
    key === login.key && generation === login.generation && gone !== true;
  await tryUpdate(ports, (document) =>
    document.logins.some(isIt)
      ? { ...document, logins: document.logins.map((old) => (isIt(old) ? { ...old, gone: true } : old)) }
      : document,
  );
}
