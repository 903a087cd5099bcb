import { exitCode, Failure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { StoredCredential } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import type { RefreshPorts } from '../tokens/detached-refresh.js';
import { loginNow } from '../tokens/find-login.js';
import { readAndUpgrade, readCredential } from '../tokens/read-credential.js';
import { alive, cannotRefresh, isRefreshable, minLifeOf, reportedRefused, usable } from '../tokens/token-request.js';
import type { CredentialFormat } from './credential.options.js';

export interface GrantRequest {
  readonly login: LoginRecord;
  readonly format: CredentialFormat;
  /** Milliseconds, when the caller asks for so much. */
  readonly minLifeMs: number | undefined;
  readonly signal: AbortSignal;
}

type GrantPorts = Pick<StorePorts, 'recovery' | 'store' | 'index' | 'locks'> & Pick<CorePorts, 'clock'> & RefreshPorts;

/** Longer than any caller waits: the signal comes sooner. */
const turnWaitMs = 10_000;

/**
 * A token of this login for another program, with enough life left: the stored one, else one that a process of its own
 * has renewed, and written, before it is handed out. Where renewing fails for now, the stored one while it lives.
 * @throws Failure `login_expired`, the store's, those of a refresh, or the signal's reason
 */
export async function grantToken(ports: GrantPorts, request: GrantRequest): Promise<StoredCredential> {
  const { login, format, minLifeMs: asked } = request;
  const held = await readAndUpgrade(ports, login, request.signal);
  const minLifeMs = minLifeOf(held, asked, format === 'env');
  const isGood = isEnough(ports, login, held, minLifeMs);
  // A refresh that was killed may have left a newer one, which the process of its own moves into the store.
  if (isGood && !(isRefreshable(held) && (await ports.recovery.isWaiting(login.key)))) return held;
  const lives = () => alive(held, { minLifeMs: 0, rejected: undefined }, ports.clock.now());
  if (!isRefreshable(held)) throw cannotRefresh(login, held, { minLifeMs, rejected: undefined }, ports.clock.now());
  try {
    return await refreshOnce(ports, request, { held, minLifeMs });
  } catch (error) {
    if (error instanceof Failure && (isGood || (isPassing(error) && lives()))) return held;
    throw error;
  }
}

/** Callers come in crowds: one of them renews, the others wait and take what it got. */
async function refreshOnce(
  ports: GrantPorts,
  { login, signal }: GrantRequest,
  { held, minLifeMs }: { readonly held: StoredCredential; readonly minLifeMs: number },
): Promise<StoredCredential> {
  const refresh = () => ports.detachedRefresh(login, { minLifeMs, signal });
  let isNew = false;
  {
    await using _turn = await ports.locks.acquire(`${login.key}-renewal`, { waitMs: turnWaitMs, signal });
    const { logins } = await ports.index.read();
    const now = logins.find(({ key }) => key === login.key);
    if (now === undefined || now.obtainedAt === held.obtainedAt) {
      await refresh();
      isNew = true;
    }
  }
  const fresh = await storedNow(ports, login);
  if (isNew || isEnough(ports, login, fresh, minLifeMs)) return fresh;
  await refresh();
  return storedNow(ports, login);
}

/** What the other process has written down: its item, and not what it was called by, says for which server it is. */
async function storedNow(ports: GrantPorts, login: LoginRecord): Promise<StoredCredential> {
  return readCredential(ports, (await loginNow(ports, login)) ?? login);
}

function isEnough(
  ports: Pick<CorePorts, 'clock'>,
  login: LoginRecord,
  credential: StoredCredential,
  minLifeMs: number,
): boolean {
  return usable(credential, { minLifeMs, rejected: reportedRefused(login, credential) }, ports.clock.now());
}

/** Will it be over by itself? */
function isPassing(failure: Failure): boolean {
  return failure.exit === exitCode.network || failure.code === 'busy';
}
