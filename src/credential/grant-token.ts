import { exitCode, isFailure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import type { RefreshPorts } from '../tokens/detached-refresh.js';
import { loginNow } from '../tokens/find-login.js';
import { readCredential } from '../tokens/read-credential.js';
import { livesFor, minLifeOf, usable, type ValidTokenRequest } from '../tokens/token-request.js';
import { storedOrRefreshed } from '../tokens/valid-token.js';
import type { CredentialFormat } from './credential.options.js';

export interface GrantRequest {
  readonly login: LoginRecord;
  readonly format: CredentialFormat;
  /** Milliseconds, when the caller asks for so much. */
  readonly minLifeMs: number | undefined;
  readonly signal: AbortSignal;
}

type GrantPorts = Pick<StorePorts, 'recovery' | 'store' | 'index' | 'locks'> & Pick<CorePorts, 'clock'> & RefreshPorts;

/** As long as any caller may ask to wait: the signal comes sooner. */
const turnWaitMs = 60_000;

/**
 * A token of this login for another program, with enough life left: the stored one, else one that a process of its own
 * has refreshed, and written, before it is handed out. Where refreshing fails for now, the stored one while it lives.
 * @throws Failure `login_expired`, the store's, those of a refresh, or the signal's reason
 */
export function grantToken(ports: GrantPorts, request: GrantRequest): Promise<StoredCredential> {
  const wanted = { ...request, kept: request.format === 'env' };
  return storedOrRefreshed(ports, wanted, async (held, of) => {
    try {
      return await refreshOnce(ports, of, held);
    } catch (error) {
      if (isPassing(error) && livesFor(held, 0, ports.clock.now())) return held;
      throw error;
    }
  });
}

/** Of many callers at once one refreshes; the others wait, and take the token that it got. */
async function refreshOnce(
  ports: GrantPorts,
  wanted: ValidTokenRequest,
  held: StoredCredential,
): Promise<StoredCredential> {
  const { login, signal } = wanted;
  const minLifeMs = minLifeOf(held, wanted.minLifeMs, wanted.kept);
  const refresh = () => ports.detachedRefresh(login, { minLifeMs, signal });
  let isNew = false;
  {
    await using _turn = await ports.locks.acquire(`${login.key}-renewal`, { waitMs: turnWaitMs, signal });
    const now = await loginOfKey(ports, login);
    if (now === undefined || now.obtainedAt === held.obtainedAt) {
      await refresh();
      isNew = true;
    }
  }
  const fresh = await storedNow(ports, login);
  if (isNew || usable(fresh, { ...wanted, minLifeMs }, ports.clock.now())) return fresh;
  await refresh();
  return storedNow(ports, login);
}

async function loginOfKey({ index }: GrantPorts, { key }: LoginRecord): Promise<LoginRecord | undefined> {
  return (await index.read()).logins.find((login) => login.key === key);
}

/** What the other process has written. The item says for which server it is, whatever named it. */
async function storedNow(ports: GrantPorts, login: LoginRecord): Promise<StoredCredential> {
  return readCredential(ports, (await loginNow(ports, login)) ?? login);
}

function isPassing(error: unknown): boolean {
  return isFailure(error) && (error.exit === exitCode.network || error.code === 'busy');
}
