import { Failure } from '../errors/failure.js';
import type { Ports } from '../ports.js';
import type { LoginRecord } from '../primitives/records.js';
import { removeClientKey } from './client-keys.js';
import { forgetEveryRegistration } from './login/registrations.js';
import { type LogoutRequest, type LogoutResult, logout } from './logout.js';
import { type Leftover, mendStrays } from './strays.js';

export interface LogoutOfAll {
  readonly logouts: readonly LogoutResult[];
  /** Logins that are as they were, and why. */
  readonly failures: readonly { readonly login: LoginRecord; readonly failure: Failure }[];
  readonly registrations: number;
  /** Keys of clients that were registered with them; those of client ID metadata documents stay. */
  readonly clientKeys: number;
  readonly keptKeys: number;
  /** Items that a store did not give up; noted, so that the next one tries again. */
  readonly left: readonly Leftover[];
}

/**
 * Ends every login, one that cannot be ended not keeping the others; then forgets every client registration and every
 * key that is registered with one, and whatever else was left in a store.
 * @throws Failure of the index
 */
export async function logoutOfAll(
  ports: Parameters<typeof logout>[0] & Pick<Ports, 'progress'>,
  { force, signal }: Pick<LogoutRequest, 'force' | 'signal'>,
): Promise<LogoutOfAll> {
  const { logins } = await ports.index.read();
  const logouts: LogoutResult[] = [];
  const failures: { login: LoginRecord; failure: Failure }[] = [];
  for (const login of logins) {
    ports.progress.begin(`Logging out of ${login.server}`);
    try {
      logouts.push(await logout(ports, { login, force, signal }));
    } catch (error) {
      if (!(error instanceof Failure) || signal.aborted) throw error;
      failures.push({ login, failure: error });
    } finally {
      ports.progress.end();
    }
  }
  const registrations = await forgetEveryRegistration(ports);
  const { clientKeys = [] } = await ports.index.read();
  const own = clientKeys.filter(({ issuer }) => issuer !== undefined);
  for (const record of own) await removeClientKey(ports, record, signal);
  const left = await mendStrays(ports, () => true, signal);
  return {
    logouts,
    failures,
    registrations,
    clientKeys: own.length,
    keptKeys: clientKeys.length - own.length,
    left,
  };
}
