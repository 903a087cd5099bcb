import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import { readCredential } from '../token/read-credential.js';

/** A token younger than this is not renewed for a report: another one would fare no better. */
const youngMs = 60_000;

/**
 * Notes that a token was refused, so that its next use renews it: this very token, and nothing else of the login.
 * @param credential What the caller says was refused; undefined: the token that is stored.
 * @returns the login, as it is noted now
 */
export async function reportRefused(
  ports: Pick<Ports, 'store' | 'index' | 'clock'>,
  login: LoginRecord,
  credential: Secret | undefined,
): Promise<LoginRecord> {
  const { accessToken, obtainedAt } = await readCredential(ports, login);
  const isThis = credential === undefined || credential.reveal() === accessToken.reveal();
  if (!isThis || Math.abs(ports.clock.now() - obtainedAt) < youngMs) {
    return login;
  }
  await ports.index.update((document) => ({
    ...document,
    logins: document.logins.map((record) =>
      record.key === login.key ? { ...record, refusedToken: obtainedAt } : record,
    ),
  }));
  return { ...login, refusedToken: obtainedAt };
}
