import { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';
import type { IndexDocument, LoginRecord } from '../../primitives/records.js';
import type { StoredCredential } from '../../protocol/credential-item.js';

/**
 * Puts right what the index tells of a credential. A login or refresh is written to the store first: one that was
 * killed before it came to the index has left a record of what was there earlier (other scopes, even "dead").
 */
export async function mendRecord(
  ports: Pick<Ports, 'index'>,
  login: LoginRecord,
  credential: StoredCredential,
): Promise<void> {
  if (!isBehind(login, credential)) return;
  const { scopes, expiresAt, obtainedAt, generation } = credential;
  const refreshable = credential.refreshToken !== undefined || credential.grant === 'client_credentials';
  const mended = (record: LoginRecord): LoginRecord => {
    if (record.key !== login.key || !isBehind(record, credential)) return record;
    const { dead, gone: _, ...rest } = record;
    const stillDead = dead === true && record.generation === generation ? { dead } : {};
    return { ...rest, ...stillDead, scopes, expiresAt, obtainedAt, refreshable, generation };
  };
  await tryUpdate(ports, (document: IndexDocument) =>
    document.logins.some((record) => mended(record) !== record)
      ? { ...document, logins: document.logins.map(mended) }
      : document,
  );
}

/** A change that only makes the index tell the truth: a full disk must not keep a token from whoever may have it. */
export async function tryUpdate(
  ports: Pick<Ports, 'index'>,
  change: (document: IndexDocument) => IndexDocument,
): Promise<void> {
  try {
    await ports.index.update(change);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

/** A record of a later generation is a newer login's: then it is the credential at hand that is old. */
function isBehind(record: LoginRecord, { generation, scopes }: StoredCredential): boolean {
  const sameScopes = [...record.scopes].sort().join(' ') === [...scopes].sort().join(' ');
  return record.generation < generation || (record.generation === generation && !sameScopes);
}
