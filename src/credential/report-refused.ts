import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { StorePorts } from '../stores/ports.js';
import { readCredential, withLogin } from '../tokens/read-credential.js';

/** A token younger than this is not refreshed for a report: a new one would be refused, too. */
const youngMs = 60_000;

/**
 * Notes that a token was refused, so that its next use refreshes it: this very token, and nothing else of the login.
 * @param credential What the caller says was refused; undefined: the token that is stored.
 * @returns the login, as it is noted now
 */
export async function reportRefused(
  ports: Pick<StorePorts, 'store' | 'index'> & Pick<CorePorts, 'clock'>,
  login: LoginRecord,
  credential: Secret | undefined,
): Promise<LoginRecord> {
  const { accessToken, obtainedAt } = await readCredential(ports, login);
  const isThis = credential === undefined || credential.reveal() === accessToken.reveal();
  if (!isThis || Math.abs(ports.clock.now() - obtainedAt) < youngMs) return login;
  const note = (old: LoginRecord) => ({ ...old, refusedToken: obtainedAt });
  await ports.index.update((document) => withLogin(document, login.key, note));
  return note(login);
}
