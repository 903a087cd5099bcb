import { Failure } from '../../errors/failure.js';
import type { Lock } from '../../ports.js';
import type { StoredCredential } from '../../protocol/credential-item.js';
import { readCredential } from './read-credential.js';
import { stillLives, type TokenPorts, usable, type ValidTokenRequest } from './token-request.js';

/** How long a process waits for another one's refresh: not long while the token that it has still lives. */
const refreshLockWaitMs = { tokenLives: 5_000, tokenEnded: 30_000 } as const;

/** The lock; or the stored credential where it lives on and the lock is another's, a paused one's perhaps, or cannot be had. */
export async function takeTurn(
  ports: TokenPorts,
  request: ValidTokenRequest,
): Promise<{ readonly turn: Lock } | StoredCredential> {
  const { login, signal } = request;
  const { tokenLives, tokenEnded } = refreshLockWaitMs;
  const wait = async (waitMs: number) => ({ turn: await ports.locks.acquire(login.key, { waitMs, signal }) });
  const held = await readCredential(ports, login);
  if (!stillLives(held, request, ports.clock.now())) {
    return wait(tokenEnded);
  }
  try {
    // Nothing has to be waited for where only an answer is to be moved that another process may have in hand.
    return await wait(usable(held, request, ports.clock.now()) ? 0 : tokenLives);
  } catch (error) {
    // On a full or read-only disk there is no lock to be had, and no refresh without it.
    const noLock = error instanceof Failure && error.code === 'state_unwritable';
    if (!noLock && !(error instanceof Failure && error.code === 'busy')) throw error;
    const now = await readCredential(ports, login);
    if (stillLives(now, request, ports.clock.now())) return now;
    if (noLock) throw error;
    return wait(tokenEnded - tokenLives);
  }
}
