import { registeredTooOften, registrationRefused, registrationUnusable } from '../../errors/registration.js';
import type { Ports } from '../../ports.js';
import { scopesMissing } from '../../primitives/scope.js';
import type { AuthorizationServer } from '../../protocol/oauth/authorization-server-metadata.js';
import { registerClient } from '../../protocol/oauth/client-registration.js';
import { toldStep } from '../told-step.js';
import type { ClientRequest, IdentifiedClient } from './identify-client.js';
import { keepRegistration, storedSecret } from './registrations.js';

/** New registrations at one authorization server within an hour that no login came of. */
const mostRegistrations = 3;

type Needs = Pick<
  Ports,
  'door' | 'store' | 'stores' | 'index' | 'attempts' | 'journal' | 'progress' | 'clock'
>;

/**
 * The registration kept for this issuer when it fits (same redirect URI, or made for logins by a code where that is
 * wanted; scopes within it, secret not expired), else a new one (RFC 7591), kept at once. `--registration dynamic` always registers anew.
 * @throws Failure `registration_refused`, `registration_unusable`, or the door's and the store's
 */
export async function registerDynamically(
  ports: Needs,
  request: ClientRequest & { readonly server: AuthorizationServer; readonly endpoint: string },
): Promise<IdentifiedClient> {
  const kept = await usableStored(ports, request);
  return kept ?? registerAnew(ports, request);
}

async function usableStored(ports: Needs, request: ClientRequest): Promise<IdentifiedClient | undefined> {
  const stored = request.kept.find(({ way }) => way === 'dynamic');
  const fits =
    stored !== undefined &&
    request.forced !== 'dynamic' &&
    (request.byDevice ? stored.device === true : stored.redirectUri === request.redirectUri) &&
    scopesMissing(stored.scopes, request.scopes).length === 0 &&
    (stored.secretExpiresAt === null || stored.secretExpiresAt > ports.clock.now());
  if (!fits) {
    return undefined;
  }
  const found = await storedSecret(ports, stored);
  if (found.kind === 'lost') {
    return undefined;
  }
  const secret = found.kind === 'secret' ? found.secret : undefined;
  const { clientId, authMethod: method, device = false } = stored;
  return { way: 'dynamic', clientId, secret, method, device };
}

/** A login came of it: whoever logs in, out of all, and in again is not in a loop. */
export async function registrationServed(ports: Pick<Ports, 'attempts'>, issuer: string): Promise<void> {
  await ports.attempts.forget(budgetOf(issuer));
}

const budgetOf = (issuer: string): string => `registration ${issuer}`;

async function registerAnew(
  ports: Needs,
  request: ClientRequest & { readonly server: AuthorizationServer; readonly endpoint: string },
): Promise<IdentifiedClient> {
  const { server, redirectUri, scopes } = request;
  if (!(await ports.attempts.take(budgetOf(server.issuer), mostRegistrations))) {
    const why = { forced: request.forced === 'dynamic', trail: ports.journal.steps };
    throw registeredTooOften(server.issuer, mostRegistrations, why);
  }
  ports.progress.begin(`Registering at ${server.issuer}`);
  const { zone } = request.discovery;
  const step = { name: 'client-registration', asked: `POST ${request.endpoint}`, rule: 'R-2.2b' } as const;
  const judged = await toldStep(ports, step, () =>
    registerClient(ports.door, { ...request, zone, now: ports.clock.now() }),
  );
  const record = (came: string, verdict: 'pass' | 'failure') =>
    ports.journal.record({ ...step, came, verdict });
  if (!judged.ok) {
    const came = judged.problem === 'refused' ? `${judged.status} ${judged.error}` : judged.why;
    record(came, 'failure');
    throw judged.problem === 'refused'
      ? registrationRefused(server.issuer, judged.status, judged.said, ports.journal.steps)
      : registrationUnusable(server.issuer, judged.why, ports.journal.steps);
  }
  record(`client identifier ${judged.client.clientId}, ${judged.client.method}`, 'pass');
  const { clientId, secret, method, device, secretExpiresAt } = judged.client;
  await keepRegistration(ports, {
    issuer: server.issuer,
    clientId,
    secret,
    way: 'dynamic',
    authMethod: method,
    redirectUri,
    scopes,
    device,
    secretExpiresAt,
  });
  return { way: 'dynamic', clientId, secret, method, device };
}
