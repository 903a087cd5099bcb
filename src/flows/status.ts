import type { Ports } from '../ports.js';
import { loginCommand } from '../primitives/login-command.js';
import type { LoginRecord } from '../primitives/records.js';

/** One login as `status` tells it; never a secret. */
export interface LoginStatus {
  readonly login: LoginRecord;
  readonly state: 'valid' | 'refreshable' | 'expired' | 'dead';
  /** What is wrong, in a sentence; undefined when nothing is. */
  readonly problem: string | undefined;
  /** The command that mends it. */
  readonly remedy: string | undefined;
}

/** Every login, or those of one server; read from the index alone, the store is not touched. */
export async function status(ports: Pick<Ports, 'index' | 'clock'>): Promise<readonly LoginStatus[]> {
  const { logins } = await ports.index.read();
  return logins.map((login) => loginStatus(login, ports.clock.now()));
}

/** What is to be said of one login. `now` in milliseconds since 1970. */
export function loginStatus(login: LoginRecord, now: number): LoginStatus {
  const remedy = loginCommand(login);
  if (login.gone === true) {
    return { login, state: 'dead', problem: 'its secret is no longer in its store', remedy };
  }
  if (login.shared === true) {
    const problem = 'an older release kept it together with the login of another server';
    return { login, state: 'dead', problem, remedy };
  }
  if (login.dead === true) {
    const problem = `the authorization server refused ${login.grant === undefined ? 'its refresh token' : 'this client'}`;
    return { login, state: 'dead', problem, remedy };
  }
  if (login.expiresAt === null || login.expiresAt > now) {
    return { login, state: 'valid', problem: undefined, remedy: undefined };
  }
  return login.refreshable
    ? { login, state: 'refreshable', problem: undefined, remedy: undefined }
    : { login, state: 'expired', problem: 'the token has expired and there is no refresh token', remedy };
}
