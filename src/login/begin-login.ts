import type { LoginMeant } from '../core/login-command.js';
import type { LoginRecord, RegistrationRecord, StoreKind } from '../core/records.js';
import { scopesMissing, unionScopes } from '../core/scope.js';
import { type Discovery, discover } from '../oauth/discover.js';
import type { WantedGrant } from '../oauth/server-metadata.js';
import type { SecretStore, StorePorts } from '../stores/ports.js';
import { registrationsFor } from '../tokens/registrations.js';
import { checkMovedEndpoint, checkSecret } from './client/check-secret.js';
import { nameTaken, nameUnusable, tooManyLogins } from './failures.js';
import type { LoginPorts, LoginRequest, PreregisteredClient } from './ports.js';

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

/** What `--name` takes: it stands in command lines, so nothing that a shell or a path could read as something else. */
const namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/**
 * Checks `--name` before anything is sent.
 * @throws Failure `name_unusable`, `name_taken`
 */
export function checkName(
  wanted: { readonly name: string | undefined; readonly server: string; readonly account: string },
  logins: readonly LoginRecord[],
): void {
  const { name, server, account } = wanted;
  if (name === undefined) {
    return;
  }
  if (!namePattern.test(name)) {
    throw nameUnusable(name);
  }
  const other = logins.find(
    (login) => login.name === name && (login.server !== server || login.account !== account),
  );
  if (other !== undefined) {
    throw nameTaken(name, other.server, other.account);
  }
}

/**
 * The store for a new login: the one chosen, else the one that this login, or the last one made, is in, else the
 * keychain. It writes there, and reads what is kept elsewhere where that is.
 * @param held This server's and account's login, to be replaced.
 */
export function storeForLogin(
  ports: Pick<StorePorts, 'store' | 'stores'>,
  chosen: StoreKind | undefined,
  logins: readonly LoginRecord[],
  held: LoginRecord | undefined,
): SecretStore {
  const last = logins.toSorted((one, other) => other.obtainedAt - one.obtainedAt)[0];
  const target = ports.stores.of(chosen ?? (held ?? last)?.store ?? 'keychain');
  return {
    kind: target.kind,
    ready: () => target.ready(),
    write: (key, value) => target.write(key, value),
    read: (key) => ports.store.read(key),
    remove: (key) => ports.store.remove(key),
  };
}

/** Half of what the index may hold, so that what is noted of these has room, too; reading it takes 30 ms. */
export const mostLogins = 1000;

/**
 * The login of this server and account, which a new one replaces. Where there is none, one more must have its place,
 * which is checked before anything is sent.
 * @throws Failure `too_many_logins`
 */
export function loginToReplace(
  logins: readonly LoginRecord[],
  wanted: { readonly server: string; readonly account: string },
): LoginRecord | undefined {
  const held = logins.find(({ server, account }) => server === wanted.server && account === wanted.account);
  if (held === undefined && logins.length >= mostLogins) throw tooManyLogins(mostLogins);
  return held;
}

/**
 * The scopes to ask for (rule 5.4): the person's own, else the challenge's, else all that the protected resource
 * metadata lists, else none, which leaves the parameter out. `held` scopes are kept at a step-up. `offline_access`
 * joins them where the authorization server lists it, and only there: it is what makes a login last.
 */
export function selectScopes(
  discovery: Discovery,
  wanted: { readonly scopes: readonly string[] | undefined; readonly held: readonly string[] },
): readonly string[] {
  const { protectedResource, challengedScopes, authorizationServer } = discovery;
  const base = wanted.scopes ?? challengedScopes ?? protectedResource.scopesSupported ?? [];
  const asked = unionScopes(wanted.held, base);
  const lasting =
    asked.length > 0 &&
    authorizationServer.scopesSupported.includes('offline_access') &&
    (authorizationServer.grantTypes?.includes('refresh_token') ?? true);
  return lasting ? unionScopes(asked, ['offline_access']) : asked;
}

/** The scopes to name in a registration, which some servers hold a client to: asked for, plus what both documents list. */
export function scopesToRegister(discovery: Discovery, asked: readonly string[]): readonly string[] {
  const resourceScopes = discovery.protectedResource.scopesSupported ?? [];
  return asked.length === 0 && resourceScopes.length === 0
    ? []
    : unionScopes(unionScopes(asked, resourceScopes), discovery.authorizationServer.scopesSupported);
}
