import { isFailure } from '../../core/failure.js';
import type { ClientAuthMethod } from '../../core/records.js';
import { doubtRegistration, forgetRegistration, keepRegistration } from '../../tokens/registrations.js';
import type { BegunLogin } from '../ports.js';
import { type IdentifiedClient, registrationBudget } from './register.js';

/**
 * Keeps what a login that worked tells of its client for the next one: a client that a person gave, its secret in the
 * store, with the method that worked; that a document was taken, and the fixed port where one was asked for.
 */
export async function keepClient(
  { ports, discovery, scopes }: BegunLogin,
  { way, clientId, secret }: IdentifiedClient,
  redirectUri: string,
  authMethod: ClientAuthMethod,
): Promise<void> {
  const { issuer } = discovery.authorizationServer;
  if (way !== 'dynamic') {
    const registration = { issuer, way, clientId, redirectUri, authMethod, secretExpiresAt: null };
    const own = way === 'metadata' ? { scopes: [], secret: undefined } : { scopes, secret };
    await keepRegistration(ports, { ...registration, ...own });
    return;
  }
  // A login came of it: whoever logs in, out of all, and in again is not in a loop.
  await ports.attempts.forget(registrationBudget(issuer));
  const { registrations } = await ports.index.read();
  const kept = registrations.find((one) => one.issuer === issuer && one.clientId === clientId);
  if (kept?.doubted === true) await doubtRegistration(ports, { issuer, clientId }, false);
}

/** The next login registers anew what registered itself and is not known any more, instead of meeting the same refusal. */
export async function forgetRefusedClient(begun: BegunLogin, client: IdentifiedClient, error: unknown): Promise<void> {
  const { issuer } = begun.discovery.authorizationServer;
  const isRefused = isFailure(error, 'invalid_client', 'unauthorized_client');
  const { way, clientId } = client;
  if (isRefused && way === 'dynamic') await forgetRegistration(begun.ports, { issuer, clientId });
}

/**
 * No response came to a login whose page was shown: a page that says "unknown client" sends none. A client that was
 * registered at an earlier login is then in doubt for the next one.
 */
export async function noteUnanswered({ ports, discovery }: BegunLogin, client: IdentifiedClient): Promise<void> {
  const { issuer } = discovery.authorizationServer;
  const { way, clientId, isKept } = client;
  if (way === 'dynamic' && isKept === true) await doubtRegistration(ports, { issuer, clientId }, true);
}
