import { ignoreFailure } from '../core/failure.js';
import { type IndexDocument, isSharedKind, type LoginRecord } from '../core/records.js';
import { endsOf } from '../core/time.js';
import { decodeCredential, type StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import { credentialCorrupt, credentialNewer, loginNeeded } from './failures.js';
import { isRefreshable } from './token-request.js';

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

/**
 * Puts right what the index tells of a credential. A login or refresh is written to the store first: one that was
 * killed before it came to the index has left a record of what was there earlier (other scopes, even "dead").
 */
export async function repairRecord(
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
  // Another machine has refreshed it, or has heard that it is over.
  const isOlder = isSharedKind(record.store) && (record.obtainedAt < obtainedAt || (ended === true && !record.dead));
  return record.generation < generation || (record.generation === generation && (!sameScopes || isOlder));
}
