import { type LoginStatus, loginStatus } from '../../../src/login/status/login-status.js';
import type { LoginPorts } from '../product.js';

/** What `postern status` shows of every login. */
export async function status(ports: Pick<LoginPorts, 'index' | 'clock'>): Promise<readonly LoginStatus[]> {
  const { logins } = await ports.index.read();
  return logins.map((login) => loginStatus(login, ports.clock.now()));
}
