import { Failure } from '../../errors/failure.js';
import { refreshNotStored } from '../../errors/token.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import { encodeCredential, type StoredCredential } from '../../protocol/credential-item.js';
import type { IssuedToken } from '../../protocol/oauth/token-response.js';
import { tryUpdate } from './mend-record.js';
import type { TokenPorts, ValidTokenRequest } from './token-request.js';

/** How often a refreshed credential is tried to be written, with growing pauses. */
const mostWrites = 3;
const writePauseMs = 200;

/** Writes a refreshed credential, then what the index tells of it. The caller has its lock. */
export async function keepRefreshed(
  ports: TokenPorts,
  request: Pick<ValidTokenRequest, 'login' | 'signal'>,
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
  await keepCredential(ports, request, fresh, held.refreshToken);
  return fresh;
}

/** Writes a credential that `spent` was given for, then what the index tells of it. The caller has its lock. */
export async function keepCredential(
  ports: TokenPorts,
  request: Pick<ValidTokenRequest, 'login' | 'signal'>,
  fresh: StoredCredential,
  spent: Secret | undefined,
): Promise<void> {
  const { key } = request.login;
  const { expiresAt, obtainedAt, scopes } = fresh;
  await writeForSure(ports, request, encodeCredential(fresh), spent);
  // The store has it: what the index tells of it is put right at the next read, where it matters.
  await tryUpdate(ports, (document) => ({
    ...document,
    logins: document.logins.map((record) =>
      record.key === key ? { ...record, expiresAt, obtainedAt, scopes } : record,
    ),
  }));
}

/**
 * Writes what cannot be had again: the authorization server may have taken the old refresh token back by now. Once the
 * store fails, it is sealed into a file first, then tried again; if the store goes on failing, nothing is handed out,
 * the person is told, and the file is moved into the store at the next use.
 * @throws Failure the store's own, with what follows from it
 */
async function writeForSure(
  ports: TokenPorts,
  { login, signal }: Pick<ValidTokenRequest, 'login' | 'signal'>,
  item: Secret,
  spent: Secret | undefined,
): Promise<void> {
  let sealed = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ports.store.write(login.key, item);
      break;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      sealed ||= await seal(ports, login, item, spent);
      if (attempt === mostWrites) throw refreshNotStored(login, error, sealed);
      await ports.clock.sleep(attempt * writePauseMs, signal);
    }
  }
  await ports.recovery.forget(login.key);
}

/** False when that failed, too: then the store's failure is what the person has to hear of. */
async function seal(
  ports: TokenPorts,
  login: LoginRecord,
  item: Secret,
  spent: Secret | undefined,
): Promise<boolean> {
  if (spent === undefined) {
    return false;
  }
  try {
    await ports.recovery.keep(login.key, item, spent);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return false;
  }
}
