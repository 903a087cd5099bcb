import type { Ports } from '../../ports.js';
import type { LoginMeant } from '../../primitives/login-command.js';
import type { LoginRecord, RegistrationRecord } from '../../primitives/records.js';
import { scopesMissing } from '../../primitives/scope.js';
import type { WantedGrant } from '../../protocol/oauth/authorization-server-metadata.js';
import { type Discovery, discover } from '../discovery/discover.js';
import { checkMovedEndpoint } from './check-moved-endpoint.js';
import { checkName } from './check-name.js';
import { checkSecret } from './check-secret.js';
import { storeForLogin } from './choose-store.js';
import type { PreregisteredClient } from './identify-client.js';
import type { LoginRequest } from './login.js';
import { loginToReplace } from './login-to-replace.js';
import { registrationsFor } from './registrations.js';
import { selectScopes } from './select-scopes.js';

/** A person's login of which is known where and for what, and not yet as which client. */
export interface BegunLogin {
  /** The world, its store being the one that this login goes into. */
  readonly ports: Ports;
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
  world: Ports,
  request: Omit<LoginRequest, 'mode' | 'seat'>,
  grant: WantedGrant,
): Promise<BegunLogin> {
  const { logins, registrations } = await world.index.read();
  checkName(request, logins);
  const held = loginToReplace(logins, request);
  const ports = { ...world, store: storeForLogin(world, request.store, logins, held) };
  const known = [
    ...request.clients.flatMap(({ issuer }) => issuer ?? []),
    ...registrations
      .filter(({ way }) => way === 'preregistered' || way === 'ask')
      .map(({ issuer }) => issuer),
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
