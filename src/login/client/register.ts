import { isFailure } from '../../core/failure.js';
import { takeStep } from '../../core/ports.js';
import { clientInfo } from '../../core/product.js';
import { type ClientAuthMethod, defined, type RegistrationRecord } from '../../core/records.js';
import { scopesMissing } from '../../core/scope.js';
import { scopesToRegister } from '../../oauth/discover.js';
import { type RegisteredClient, type RegistrationAsk, registerClient } from '../../oauth/registration.js';
import { deviceGrant } from '../../oauth/token.js';
import { forgetRegistration, keepRegistration, storedSecret } from '../../tokens/registrations.js';
import type { BegunLogin, IdentifiedClient } from '../ports.js';
import { registeredTooOften, registrationFailed, registrationRefused, registrationUnusable } from './failures.js';
import { type ClientRequest, redirectRemedy } from './way-out.js';

/** New registrations at one authorization server within an hour that no login came of. */
const maxRegistrations = 3;

/** What new registrations at this issuer are counted by. */
const registrationBudget = (issuer: string): string => `registration ${issuer}`;

/**
 * The registration kept for this issuer when it fits (same redirect URI, or made for logins by a code where that is
 * wanted; scopes within it, secret not expired), else a new one (RFC 7591), kept at once. `--registration dynamic` always
 * registers again.
 * @throws Failure `registration_refused`, `registration_failed`, `redirect_uri_refused`, `registration_unusable`, `registered_too_often`, or of the HTTP client and the store
 */
export async function registerDynamically(request: ClientRequest, endpoint: string): Promise<IdentifiedClient> {
  return (await keptRegistration(request)) ?? (await registerAnew(request, endpoint));
}

/** The registration that is used again. */
export async function keptRegistration(request: ClientRequest): Promise<IdentifiedClient | undefined> {
  const { ports, kept } = request.begun;
  const registration = kept.find((one) => fits(one, request));
  if (registration === undefined) return undefined;
  const found = await storedSecret(ports, registration);
  if (found.kind === 'lost') return undefined;
  const secret = found.kind === 'secret' ? found.secret : undefined;
  const { clientId, authMethod: method } = registration;
  return { way: 'dynamic', clientId, secret, method, isKept: true };
}

function fits(kept: RegistrationRecord, request: ClientRequest): boolean {
  const { begun, redirectUri, byCode } = request;
  return (
    kept.way === 'dynamic' &&
    begun.request.client.way !== 'dynamic' &&
    (begun.clientName === undefined || begun.clientName === (kept.clientName ?? clientInfo.name)) &&
    (byCode ? kept.device === true : kept.redirectUri === redirectUri) &&
    scopesMissing(kept.scopes, scopesToRegister(begun.discovery, begun.scopes)).length === 0 &&
    (kept.secretExpiresAt === null || kept.secretExpiresAt > begun.ports.clock.now())
  );
}

function nameAt({ clientName, kept }: BegunLogin): string | undefined {
  return clientName ?? kept.find(({ way }) => way === 'dynamic')?.clientName;
}

async function registerAnew(request: ClientRequest, endpoint: string): Promise<IdentifiedClient> {
  const { begun, redirectUri } = request;
  const { ports, discovery, meant } = begun;
  const { issuer } = discovery.authorizationServer;
  if (!(await ports.attempts.take(registrationBudget(issuer), maxRegistrations))) {
    throw registeredTooOften(issuer, maxRegistrations, begun.request.client.way === 'dynamic');
  }
  ports.progress.begin(`Registering at ${issuer}`);
  const scopes = scopesToRegister(discovery, begun.scopes);
  const { clientId, secret, method, device, secretExpiresAt } = await register(request, endpoint, scopes);
  const known = defined({ device, clientName: nameAt(begun) });
  const record = { issuer, clientId, secret, authMethod: method, redirectUri, scopes, secretExpiresAt, ...known };
  await keepRegistration(ports, { ...record, way: 'dynamic' }, meant);
  return { way: 'dynamic', clientId, secret, method };
}

/** Asks, and for less where that is refused for what it asks for (RFC 7591 section 3.2.2). */
async function register(
  request: ClientRequest,
  endpoint: string,
  scopes: readonly string[],
): Promise<RegisteredClient> {
  const { begun, redirectUri } = request;
  const { ports, discovery } = begun;
  const { signal } = begun.request;
  const { authorizationServer: server, zone } = discovery;
  const step = { name: 'client-registration', asked: `POST ${endpoint}`, rule: 'R-2.2b' } as const;
  const record = (came: string, verdict: 'pass' | 'warning' | 'failure') =>
    ports.journal.record({ ...step, came, verdict });
  const asks = asksOf(request, scopes);
  const name = nameAt(begun);
  for (const [at, ask] of asks.entries()) {
    const now = ports.clock.now();
    const result = await takeStep(ports, step, () =>
      registerClient(ports.http, { ...ask, name, server, endpoint, redirectUri, zone, now, signal }),
    );
    if (result.ok) {
      record(`client identifier ${result.client.clientId}, ${result.client.method}`, 'pass');
      return result.client;
    }
    if (result.problem === 'unusable') {
      record(result.why, 'failure');
      throw registrationUnusable(server.issuer, result.why);
    }
    if (result.problem === 'transient') {
      record(`${result.status}`, 'failure');
      throw registrationFailed(server.issuer, result);
    }
    const { status, error, said } = result;
    const mayAskForLess = [400, 422].includes(status) && !refusedOutright.includes(error);
    const isLast = at === asks.length - 1 || !mayAskForLess;
    record(`${status} ${error}`, isLast ? 'failure' : 'warning');
    if (!isLast) continue;
    throw registrationRefused(server.issuer, status, {
      ...{ error, said, name },
      otherAddress: otherAddress(request, error, said),
    });
  }
  throw new Error('there is always something to ask for');
}

/** What to do where the redirect URI was refused (RFC 7591 section 3.2.2). Many say so in words alone. */
function otherAddress(request: ClientRequest, error: string, said: string): string | undefined {
  const isMinded =
    /redirect/i.test(error) || (error === 'invalid_client_metadata' && /redirect|\bloopback\b/i.test(said));
  return isMinded && !request.byCode ? redirectRemedy(request, said) : undefined;
}

/**
 * What to ask for: what this login is going to use; each next one where the one before was refused, the last with as
 * little as can be. Some authorization servers refuse a whole registration for one grant or scope that they do not give;
 * others leave out of their metadata that they refresh, and then hold a client to what it has asked for.
 */
function asksOf(request: ClientRequest, scopes: readonly string[]): readonly RegistrationAsk[] {
  const { grantTypes } = request.begun.discovery.authorizationServer;
  const isUnlisted = grantTypes?.includes('refresh_token') === false;
  const [code, refresh] = ['authorization_code', 'refresh_token'];
  const without = (grant: string) => (isUnlisted ? [{ grants: [grant], scopes }] : []);
  if (request.byCode) {
    return [
      { grants: [deviceGrant, refresh], scopes },
      ...without(deviceGrant),
      { grants: [code, deviceGrant], scopes: [] },
    ];
  }
  return [{ grants: [code, refresh], scopes }, ...without(code), { grants: [code], scopes: [] }];
}

/** Errors that are not about grants or scopes (RFC 7591 section 3.2.2). */
const refusedOutright: readonly string[] = [
  'invalid_redirect_uri',
  'invalid_software_statement',
  'unapproved_software_statement',
  'access_denied',
];

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
  // A login came of it: logging out of all and in again is no loop.
  await ports.attempts.forget(registrationBudget(issuer));
}

/** The next login registers anew what registered itself and is not known any more, instead of meeting the same refusal. */
export async function forgetRefusedClient({ begun, client }: ClientRequest, error: unknown): Promise<void> {
  const { issuer } = begun.discovery.authorizationServer;
  const isRefused = isFailure(error, 'invalid_client', 'unauthorized_client');
  if (!isRefused || client?.way !== 'dynamic') return;
  await forgetRegistration(begun.ports, { issuer, clientId: client.clientId });
}

/**
 * Forgets a kept registration whose login page sent no response: a page that says "unknown client" sends none. Once no
 * further registration is allowed it stays, since it may only have been a slow user.
 */
export async function forgetUnanswered({ begun, client }: ClientRequest): Promise<void> {
  const { ports, discovery } = begun;
  const { issuer } = discovery.authorizationServer;
  if (client?.isKept !== true || !(await ports.attempts.allows(registrationBudget(issuer), maxRegistrations))) return;
  await forgetRegistration(ports, { issuer, clientId: client.clientId });
}
