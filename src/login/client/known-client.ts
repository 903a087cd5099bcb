import { isFailure } from '../../core/failure.js';
import type { ClientAuthMethod } from '../../core/records.js';
import { doubtRegistration, forgetRegistration, keepRegistration } from '../../tokens/registrations.js';
import type { LoginPorts } from '../ports.js';
import { type IdentifiedClient, registrationBudget } from './register.js';

/**
 * Keeps what a login that worked tells of its client for the next one: a client that a person gave, its secret in the
 * store, with the method that worked; that a document was taken, and the fixed port where one was asked for.
 */
export async function keepClient(
  ports: Pick<LoginPorts, 'attempts' | 'store' | 'stores' | 'index'>,
  { way, clientId, secret }: IdentifiedClient,
  used: {
    readonly issuer: string;
    readonly redirectUri: string;
    readonly scopes: readonly string[];
    readonly authMethod: ClientAuthMethod;
  },
): Promise<void> {
  const { issuer } = used;
  if (way !== 'dynamic') {
    const kept = way === 'metadata' ? { ...used, scopes: [], secret: undefined } : { ...used, secret };
    await keepRegistration(ports, { ...kept, way, clientId, secretExpiresAt: null });
    return;
  }
  // A login came of it: whoever logs in, out of all, and in again is not in a loop.
  await ports.attempts.forget(registrationBudget(issuer));
  const { registrations } = await ports.index.read();
  const isDoubted = registrations.some(
    (one) => one.issuer === issuer && one.clientId === clientId && one.doubted === true,
  );
  if (isDoubted) await doubtRegistration(ports, { issuer, clientId }, false);
}

/** The next login registers anew what registered itself and is not known any more, instead of meeting the same refusal. */
export async function forgetRefusedClient(
  ports: Pick<LoginPorts, 'stores' | 'index'>,
  issuer: string,
  { way, clientId }: IdentifiedClient,
  error: unknown,
): Promise<void> {
  const isRefused = isFailure(error, 'invalid_client', 'unauthorized_client');
  if (isRefused && way === 'dynamic') await forgetRegistration(ports, { issuer, clientId });
}

/**
 * No response came to a login whose page was shown: a page that says "unknown client" sends none. A client that was
 * registered at an earlier login is then registered anew by the next one.
 */
export async function noteUnanswered(
  ports: Pick<LoginPorts, 'index'>,
  issuer: string,
  { way, clientId, isKept }: IdentifiedClient,
): Promise<void> {
  if (way === 'dynamic' && isKept === true) await doubtRegistration(ports, { issuer, clientId }, true);
}
