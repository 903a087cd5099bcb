import { Failure } from '../../errors/failure.js';
import { refreshNotStored } from '../../errors/token.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import { encodeCredential, type StoredCredential } from '../../protocol/credential-item.js';
import type { IssuedToken } from '../../protocol/oauth/token-response.js';
import type { TokenPorts, ValidTokenRequest } from './token-request.js';

/** How often a refreshed credential is tried to be written, with growing pauses. */
const mostWrites = 3;
const writePauseMs = 200;

/** Writes a refreshed credential, then what the index tells of it. The caller has its lock. */
export async function keepRefreshed(
  ports: TokenPorts,
  { login, signal }: ValidTokenRequest,
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
  await writeForSure(ports, login, encodeCredential(fresh), signal);
  await ports.index.update((document) => ({
    ...document,
    logins: document.logins.map((record) =>
      record.key === login.key ? { ...record, expiresAt, obtainedAt, scopes } : record,
    ),
  }));
  return fresh;
}

/**
 * Writes what cannot be had again: the authorization server may have taken the old refresh token back by now. A store
 * that fails for a moment is tried again; if it goes on failing, nothing is handed out, and the person is told.
 * @throws Failure the store's own, with what follows from it
 */
async function writeForSure(
  ports: TokenPorts,
  login: LoginRecord,
  item: Secret,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ports.store.write(login.key, item);
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (attempt === mostWrites) throw refreshNotStored(login.server, error);
      await ports.clock.sleep(attempt * writePauseMs, signal);
    }
  }
}
