import { Failure } from '../../core/failure.js';
import type { LoginMeant } from '../../core/login-command.js';
import type { CorePorts } from '../../core/ports.js';
import { takeStep } from '../../core/ports.js';
import type { RegistrationRecord, RegistrationWay } from '../../core/records.js';
import { scopesMissing } from '../../core/scope.js';
import type { HttpPorts } from '../../http/request.js';
import type { ClientAuthentication } from '../../oauth/client-authentication.js';
import { deviceGrant } from '../../oauth/device.js';
import type { Discovery } from '../../oauth/discover.js';
import { type RegisteredClient, type RegistrationAsk, registerClient } from '../../oauth/registration.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import type { StorePorts } from '../../stores/ports.js';
import { doubtRegistration, keepRegistration, storedSecret } from '../../tokens/registrations.js';
import type { PreregisteredClient } from '../ports.js';
import { registeredTooOften, registrationRefused, registrationUnusable } from './failures.js';

export interface ClientRequest {
  readonly discovery: Discovery;
  readonly redirectUri: string;
  /** Is the login to be by a code alone (RFC 8628), with no redirect at all? */
  readonly byDevice: boolean;
  /** Is a code going to stand beside the address of the login page? */
  readonly codeBeside: boolean;
  /** The login that is being made. */
  readonly meant: LoginMeant;
  readonly forced: RegistrationWay | undefined;
  readonly preregistered: PreregisteredClient | undefined;
  /** The address of our client ID metadata document, when one is configured. */
  readonly metadataUrl: string | undefined;
  /** What was registered at this issuer before, the newest first. */
  readonly kept: readonly RegistrationRecord[];
  /** Every scope this login may want, now or at a step-up. */
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
}

export interface IdentifiedClient extends ClientAuthentication {
  readonly way: RegistrationWay;
  /** May it log in by a code (RFC 8628)? Undefined: only the authorization server knows. */
  readonly device?: boolean;
  /** Registered by itself at an earlier login. */
  readonly isKept?: boolean;
}

/** New registrations at one authorization server within an hour that no login came of. */
const maxRegistrations = 3;

type Needs = Pick<HttpPorts, 'http'> &
  Pick<StorePorts, 'store' | 'stores' | 'index' | 'attempts'> &
  Pick<CorePorts, 'journal' | 'progress' | 'clock' | 'terminal'>;

type KeptRequest = ClientRequest & { readonly server: AuthorizationServer };

type DynamicRequest = KeptRequest & { readonly endpoint: string };

/**
 * The registration kept for this issuer when it fits (same redirect URI, or made for logins by a code where that is
 * wanted; scopes within it, secret not expired), else a new one (RFC 7591), kept at once. One that no answer came to is
 * made anew; as long as that is not possible, or not allowed, it is used once more. `--registration dynamic` always
 * registers anew.
 * @throws Failure `registration_refused`, `registration_unusable`, `registered_too_often`, or the HTTP client's and the store's
 */
export async function registerDynamically(ports: Needs, request: DynamicRequest): Promise<IdentifiedClient> {
  const kept = await usableStored(ports, request);
  if (kept === undefined) return registerAnew(ports, request);
  const { client, doubted } = kept;
  if (!doubted || !(await ports.attempts.allows(budgetOf(request.server.issuer), maxRegistrations))) return client;
  ports.terminal.tell('No answer came to the last login here: this client is registered anew.');
  try {
    return await registerAnew(ports, request);
  } catch (error) {
    const isRefusal = error instanceof Failure && /^registration_|^registered_/.test(error.code);
    if (!isRefusal) throw error;
    return client; // better than none: the person may only have been slow
  }
}

/** Is there one that is kept, and used as it is? */
export async function hasGoodRegistration(ports: Needs, request: ClientRequest): Promise<boolean> {
  const server = request.discovery.authorizationServer;
  const kept = await usableStored(ports, { ...request, server });
  return kept?.doubted === false;
}

interface Stored {
  readonly client: IdentifiedClient;
  readonly doubted: boolean;
}

async function usableStored(ports: Needs, request: KeptRequest): Promise<Stored | undefined> {
  const stored = request.kept.find((one) => fits(one, request, ports.clock.now()));
  if (stored === undefined) return undefined;
  const found = await storedSecret(ports, stored);
  if (found.kind === 'lost') return undefined;
  const secret = found.kind === 'secret' ? found.secret : undefined;
  const { clientId, authMethod: method, device = false, doubted = false } = stored;
  return { client: { way: 'dynamic', clientId, secret, method, device, isKept: true }, doubted };
}

function fits(stored: RegistrationRecord, request: KeptRequest, now: number): boolean {
  const { byDevice, redirectUri } = request;
  return (
    stored.way === 'dynamic' &&
    request.forced !== 'dynamic' &&
    (byDevice ? stored.device === true : stored.redirectUri === redirectUri) &&
    // What was not asked for so far may be asked for; what was refused is not.
    !(wantsCode(request) && stored.device === undefined) &&
    scopesMissing(stored.scopes, request.scopes).length === 0 &&
    (stored.secretExpiresAt === null || stored.secretExpiresAt > now)
  );
}

const wantsCode = ({ byDevice, codeBeside, server }: KeptRequest): boolean =>
  byDevice || (codeBeside && server.deviceAuthorizationEndpoint !== undefined);

/** A login came of it: whoever logs in, out of all, and in again is not in a loop. */
export async function registrationServed(
  ports: Pick<StorePorts, 'attempts' | 'index'>,
  issuer: string,
  { clientId }: IdentifiedClient,
): Promise<void> {
  await ports.attempts.forget(budgetOf(issuer));
  const { registrations } = await ports.index.read();
  const isDoubted = registrations.some(
    (one) => one.issuer === issuer && one.clientId === clientId && one.doubted === true,
  );
  if (isDoubted) await doubtRegistration(ports, { issuer, clientId }, false);
}

const budgetOf = (issuer: string): string => `registration ${issuer}`;

/**
 * What to ask for: what this login is going to use; each next one where the one before was refused, the last with as
 * little as can be. Some authorization servers refuse a whole registration for one grant or scope that they do not give.
 */
function asksOf(request: DynamicRequest): readonly RegistrationAsk[] {
  const { byDevice, scopes, server } = request;
  const refresh = server.grantTypes?.includes('refresh_token') === false ? [] : ['refresh_token'];
  const code = 'authorization_code';
  if (byDevice) {
    return [
      { grants: [deviceGrant, ...refresh], scopes },
      { grants: [code, deviceGrant], scopes: [] },
    ];
  }
  const beside = wantsCode(request) ? [{ grants: [code, ...refresh, deviceGrant], scopes }] : [];
  return [...beside, { grants: [code, ...refresh], scopes }, { grants: [code], scopes: [] }];
}

async function registerAnew(ports: Needs, request: DynamicRequest): Promise<IdentifiedClient> {
  const { server, redirectUri, scopes, meant } = request;
  if (!(await ports.attempts.take(budgetOf(server.issuer), maxRegistrations))) {
    throw registeredTooOften(server.issuer, maxRegistrations, request.forced === 'dynamic');
  }
  ports.progress.begin(`Registering at ${server.issuer}`);
  const { clientId, secret, method, device, secretExpiresAt } = await registered(ports, request);
  const record = {
    issuer: server.issuer,
    clientId,
    secret,
    way: 'dynamic',
    authMethod: method,
    redirectUri,
    scopes,
    ...(device === undefined ? {} : { device }),
    secretExpiresAt,
  } as const;
  await keepRegistration(ports, record, meant);
  return { way: 'dynamic', clientId, secret, method, device: device ?? false };
}

/** Asks, and for less where that is refused for what it asks for (RFC 7591 section 3.2.2). */
async function registered(ports: Needs, request: DynamicRequest): Promise<RegisteredClient> {
  const { server } = request;
  const { zone } = request.discovery;
  const step = { name: 'client-registration', asked: `POST ${request.endpoint}`, rule: 'R-2.2b' } as const;
  const asks = asksOf(request);
  for (const [at, ask] of asks.entries()) {
    const judged = await takeStep(ports, step, () =>
      registerClient(ports.http, { ...request, ...ask, zone, now: ports.clock.now() }),
    );
    const record = (came: string, verdict: 'pass' | 'warning' | 'failure') =>
      ports.journal.record({ ...step, came, verdict });
    if (judged.ok) {
      record(`client identifier ${judged.client.clientId}, ${judged.client.method}`, 'pass');
      return judged.client;
    }
    if (judged.problem === 'unusable') {
      record(judged.why, 'failure');
      throw registrationUnusable(server.issuer, judged.why);
    }
    const { status } = judged;
    const { error, said } = judged.problem === 'refused' ? judged : { error: '', said: '' };
    const isLast = at === asks.length - 1 || !isAboutTheAsk(status, error);
    record(`${status} ${error}`, isLast ? 'failure' : 'warning');
    if (isLast) throw registrationRefused(server.issuer, status, said);
  }
  throw new Error('there is always something to ask for');
}

/** Errors that are not about grants or scopes (RFC 7591 section 3.2.2). */
const refusedOutright: readonly string[] = [
  'invalid_redirect_uri',
  'invalid_software_statement',
  'unapproved_software_statement',
  'access_denied',
];

/** May less be given where this much was refused? */
function isAboutTheAsk(status: number, error: string): boolean {
  return [400, 422].includes(status) && !refusedOutright.includes(error);
}
