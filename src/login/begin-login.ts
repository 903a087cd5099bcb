import type { LoginMeant } from '../core/login-command.js';
import type { LoginRecord, RegistrationRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import { printable } from '../core/text/printable.js';
import { type Discovery, discover } from '../oauth/discover.js';
import { scopesToRegister, selectScopes } from '../oauth/select-scopes.js';
import type { WantedGrant } from '../oauth/server-metadata.js';
import { registrationsFor } from '../tokens/registrations.js';
import { checkMovedEndpoint, checkSecret } from './client/check-secret.js';
import type { ClientRequest } from './client/register.js';
import type { LoginPorts, LoginRequest, PreregisteredClient } from './ports.js';
import { checkName, loginToReplace, storeForLogin } from './which-login.js';

/** A person's login of which is known where and for what, and not yet as which client. */
export interface BegunLogin {
  /** The world, its store being the one that this login goes into. */
  readonly ports: LoginPorts;
  /** As a command names it. */
  readonly meant: LoginMeant;
  readonly discovery: Discovery;
  /** What was registered at this issuer before, the newest first. */
  readonly kept: readonly RegistrationRecord[];
  /** The client that a person gave for this issuer. */
  readonly preregistered: PreregisteredClient | undefined;
  readonly scopes: readonly string[];
  /** Which of the two there was never a login with; at a step-up, the scopes that are asked for on top. */
  readonly isNew: {
    readonly server: boolean;
    readonly issuer: boolean;
    readonly scopes: readonly string[];
  };
}

/**
 * The beginning of every login by a person (rule 5.3, steps 1 to 4): nothing is registered, opened or stored.
 * @throws Failure `name_unusable`, `name_taken`, `too_many_logins`, `endpoints_moved`, of discovery, or the store's
 */
export async function beginLogin(
  world: LoginPorts,
  request: Omit<LoginRequest, 'mode' | 'availability'>,
  grant: WantedGrant,
): Promise<BegunLogin> {
  const { logins, registrations } = await world.index.read();
  checkName(request, logins);
  const held = loginToReplace(logins, request);
  const ports = { ...world, store: storeForLogin(world, request.store, logins, held) };
  const known = [
    ...request.clients.flatMap(({ issuer }) => issuer ?? []),
    ...registrations.filter(({ way }) => way === 'preregistered' || way === 'ask').map(({ issuer }) => issuer),
    ...logins.map(({ issuer }) => issuer),
  ];
  const { server, issuer: wanted, signal } = request;
  const discovery = await discover(ports, { server, wanted, held, known, signal, grant });
  await ports.store.ready();
  await checkMovedEndpoint(ports, discovery, { held, wanted, signal });
  const { issuer } = discovery.authorizationServer;
  const kept = await registrationsFor(ports, issuer);
  const preregistered = request.client ?? request.clients.find((client) => client.issuer === issuer);
  if (preregistered?.unbound === true && preregistered.secret !== undefined) {
    const { clientId, secret } = preregistered;
    await checkSecret(ports, { clientId, secret }, { server, issuer, kept, held, signal });
  }
  const scopes = selectScopes(discovery, { scopes: request.scopes, held: request.heldScopes });
  return {
    ports,
    meant: { server, account: request.account, name: held?.name, newName: newName(request.name, held) },
    discovery,
    kept,
    preregistered,
    isNew: {
      server: logins.every((login) => login.server !== server),
      issuer: !known.includes(issuer),
      scopes: scopesOnTop(request.heldScopes, scopes, held),
    },
    scopes,
  };
}

function newName(wanted: string | undefined, held: LoginRecord | undefined): string | undefined {
  return wanted === held?.name ? undefined : wanted;
}

/** A login that is refreshed has what `offline_access` stands for, though few authorization servers list it. */
function scopesOnTop(
  held: readonly string[],
  asked: readonly string[],
  login: LoginRecord | undefined,
): readonly string[] {
  if (held.length === 0) return [];
  return scopesMissing(login?.refreshable ? [...held, 'offline_access'] : held, asked);
}

/** What is asked to identify the client of this login. */
export function clientRequest(
  { meant, discovery, preregistered, kept, scopes }: BegunLogin,
  { registration, metadataUrl, signal }: Pick<LoginRequest, 'registration' | 'metadataUrl' | 'signal'>,
  how: Pick<ClientRequest, 'redirectUri' | 'byDevice' | 'codeBeside'>,
): ClientRequest {
  const forced = registration;
  return {
    ...how,
    discovery,
    meant,
    forced,
    preregistered,
    metadataUrl,
    kept,
    scopes: scopesToRegister(discovery, scopes),
    signal,
  };
}

/** Who asks for what, in the terminal, before any browser is or any code is shown. */
export function announce({ ports, discovery, scopes, isNew }: BegunLogin): void {
  const { terminal } = ports;
  terminal.tell(`Logging in to ${printable(discovery.server)}`);
  terminal.tell(`at the authorization server ${printable(discovery.authorizationServer.issuer)}`);
  const news = newness(isNew);
  if (news !== undefined) terminal.tell(news);
  const all = printable(scopes.join(' '));
  terminal.tell(all === '' ? 'with the scopes it gives by default' : `with scope ${all}`);
  if (isNew.scopes.length > 0) {
    terminal.tell(`New is: ${printable(isNew.scopes.join(' '))}`);
  }
  for (const warning of discovery.warnings) {
    terminal.tell(`Note: ${printable(warning, 600)}`);
  }
}

/** The moment to look twice at an address that came from somewhere. */
function newness({ server, issuer }: Pick<BegunLogin['isNew'], 'server' | 'issuer'>): string | undefined {
  if (server) {
    return `${issuer ? 'Both are new here' : 'The server is new here'}: check that the address is the one you mean.`;
  }
  return issuer ? 'The authorization server is new here.' : undefined;
}
