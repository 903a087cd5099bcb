import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import type { StorePorts } from '../stores/ports.js';
import { readCredential, withLogin } from '../tokens/read-credential.js';
import { isRefreshable } from '../tokens/token-request.js';

/** A token younger than this is not refreshed for a report: a new one would be refused, too. */
const youngMs = 60_000;

/** A caller that asks again after each 401 has a token refreshed no more often than this. */
const askedAgainMs = 60_000;

/** The login, as it is noted now, and when its token was last refreshed for this caller. */
export interface NotedLogin {
  readonly login: LoginRecord;
  readonly refreshedAt: number | undefined;
}

/**
 * A program that was given this very token seconds ago, and asks again, was refused with it: that is noted as
 * `reportRefused` does, once a minute at most for a login, however young the token is.
 */
export async function reportAskedAgain(
  ports: Pick<StorePorts, 'store' | 'index' | 'attempts' | 'handedOut'> & Pick<CorePorts, 'clock'>,
  login: LoginRecord,
): Promise<NotedLogin> {
  const now = ports.clock.now();
  const given = await ports.handedOut.lately(login.key, now);
  const unchanged = { login, refreshedAt: given?.refreshedAt };
  if (given === undefined || given.obtainedAt === login.refusedToken) return unchanged;
  const held = await readCredential(ports, login);
  const isRefused =
    isRefreshable(held) &&
    held.obtainedAt === given.obtainedAt &&
    (await ports.attempts.take(`asked again ${login.key}`, 1, askedAgainMs));
  if (!isRefused) return unchanged;
  return { login: await noteRefused(ports, login, held.obtainedAt), refreshedAt: now };
}

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
  return noteRefused(ports, login, obtainedAt);
}

async function noteRefused(
  { index }: Pick<StorePorts, 'index'>,
  login: LoginRecord,
  obtainedAt: number,
): Promise<LoginRecord> {
  await index.update((document) => withLogin(document, login.key, (old) => ({ ...old, refusedToken: obtainedAt })));
  return { ...login, refusedToken: obtainedAt };
}
