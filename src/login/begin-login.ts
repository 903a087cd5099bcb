import { isFailure } from '../core/failure.js';
import type { LoginAsked } from '../core/login-command.js';
import { type IndexDocument, isSharedKind, type LoginRecord, type StoreKind } from '../core/records.js';
import { scopesMissing, unionScopes } from '../core/scope.js';
import type { SecretHeader } from '../core/secret.js';
import { printable } from '../core/text/printable.js';
import { addedParameters } from '../oauth/authorization-request.js';
import { discover, selectScopes } from '../oauth/discover.js';
import { isSameIssuer } from '../oauth/discovery-document.js';
import { keptChallenge } from '../oauth/probe.js';
import type { WantedGrant } from '../oauth/server-metadata.js';
import type { SecretStore } from '../stores/ports.js';
import { sameLogin } from '../tokens/find-login.js';
import { readCredential } from '../tokens/read-credential.js';
import { chosenRedirectUri, registrationsFor } from '../tokens/registrations.js';
import { revokePending } from '../tokens/revoke.js';
import { proofsFor } from './bind-login.js';
import { checkMovedEndpoint, checkSecret } from './check-secret.js';
import { clientBoundElsewhere, clientNameUseless, companyNotShared, tooManyLogins } from './failures.js';
import { checkName } from './login-name.js';
import type { BegunLogin, LoginPorts, LoginRequest } from './ports.js';

/**
 * The beginning of every login (rule 5.3, steps 1 to 4): nothing is registered, opened or stored.
 * @throws Failure `name_unusable`, `name_taken`, `too_many_logins`, `endpoints_moved`, of discovery, or the store's
 */
export async function beginLogin<Request extends LoginRequest>(
  world: LoginPorts,
  request: Request,
  grant: WantedGrant,
): Promise<BegunLogin<Request>> {
  const { server, client, signal } = request;
  const { configured = [] } = client;
  const document = await world.index.read();
  const { logins } = document;
  checkName(request, logins);
  const held = sameLogin(logins, request);
  if (held === undefined && logins.length >= maxLogins) throw tooManyLogins(maxLogins);
  const ports = { ...world, store: storeForLogin(world, request.store, logins, held) };
  const headers = await serverHeaders(world, request, held);
  const meant = meantBy(request, held);
  const { discovery, known } = await discoverFor(ports, document, request, { held, meant, headers, grant });
  await ports.store.ready();
  if (request.issuer === undefined) await checkMovedEndpoint(ports, discovery, { held, meant, signal });
  const { issuer } = discovery.authorizationServer;
  await revokePending(ports, issuer, signal); // not after this login, whose tokens may be of the same grant
  const proofs = await proofsFor(ports, { discovery, meant, held, choice: request.dpop });
  const kept = await registrationsFor(ports, issuer);
  if (client.name !== undefined && discovery.authorizationServer.registrationEndpoint === undefined) {
    throw clientNameUseless(issuer);
  }
  const preregistered = client.given ?? configured.find((one) => isSameIssuer(one.issuer ?? '', issuer));
  if (preregistered?.issuer !== undefined && !isSameIssuer(preregistered.issuer, issuer)) {
    throw clientBoundElsewhere(preregistered.clientId, issuer);
  }
  await checkSecret(ports, preregistered, { server, issuer, meant, kept, logins, signal });
  const isByPerson = grant === 'authorization_code' || grant === 'device_code';
  const scopes = selectScopes(discovery, wantedScopes(request, { issuer, held, grant })).filter(
    (scope) => isByPerson || scope !== 'offline_access' || request.scopes.named?.includes(scope),
  );
  noteUnlisted(world, discovery, request.scopes.named ?? []);
  const before = request.scopes.held;
  return {
    request,
    ports,
    meant,
    ...proofs,
    held,
    discovery,
    kept,
    clientName: client.name ?? held?.clientName,
    preregistered,
    redirectUri: chosenRedirectUri(document, issuer),
    isNew: {
      server: logins.every((login) => login.server !== server),
      issuer: !known.includes(issuer),
      account: held === undefined && logins.some((login) => login.server === server),
      // A login that is refreshed has what `offline_access` stands for, though few authorization servers list it.
      scopes:
        before.length === 0 ? [] : scopesMissing([...before, ...(held?.refreshable ? ['offline_access'] : [])], scopes),
    },
    scopes,
    added: addedParameters(parametersFor(request, issuer, held) ?? []),
    headers,
  };
}

/** The server's metadata and its authorization server's, and which issuers are known here. @throws Failure of discovery */
async function discoverFor(
  ports: LoginPorts,
  document: IndexDocument,
  request: LoginRequest,
  about: Pick<BegunLogin, 'held' | 'meant' | 'headers'> & { readonly grant: WantedGrant },
) {
  const { server, issuer: wanted, issuerIsTyped: wantedIsTyped, resource, client, signal } = request;
  const { logins, registrations } = document;
  const known = [
    ...(client.configured ?? []).flatMap(({ issuer }) => issuer ?? []),
    ...registrations.filter(({ way }) => way === 'preregistered' || way === 'ask').map(({ issuer }) => issuer),
    ...logins.map(({ issuer }) => issuer),
  ];
  // Who names both, the authorization server and a client there, has decided, too.
  const legacy = request.legacy === true || (wantedIsTyped && client.given !== undefined);
  const kept = keptChallenge(document, server);
  const asked = { server, wanted, wantedIsTyped, legacy, resource, known, kept, signal, ...about };
  return { discovery: await discover(ports, asked), known };
}

/**
 * Those named now; else those of the login that is made again: what it has, and what was named for it. To a login that nobody
 * named any for, `selectScopes` adds what the server asks for.
 */
function wantedScopes(
  { scopes: { named, held: kept } }: LoginRequest,
  {
    issuer,
    held,
    grant,
  }: { readonly issuer: string; readonly held: LoginRecord | undefined; readonly grant: WantedGrant },
) {
  const isOwn = (held?.grant === 'client_credentials') === (grant === 'client_credentials');
  if (named !== undefined || held?.issuer !== issuer || !isOwn) return { scopes: named, held: kept };
  return { scopes: held.askedScopes, held: unionScopes(kept, held.scopes) };
}

/** Parameters to add to authorization requests at this issuer: given now, or kept with its login. */
export function parametersFor(
  { parameters }: LoginRequest,
  issuer: string,
  held: LoginRecord | undefined,
): readonly string[] | undefined {
  return parameters ?? (held?.issuer === issuer ? held.authorizationParams : undefined);
}

/** How a remedy names the login. One that another command makes again is made with the scopes and as whom it was made before. */
export function meantBy(
  { server, account, name, given }: Pick<LoginRequest, 'server' | 'account' | 'name' | 'given'>,
  held: LoginRecord | undefined,
): LoginAsked {
  const kept = given === undefined ? { askedScopes: held?.askedScopes, grant: held?.grant } : {};
  return { server, account, name: held?.name, newName: name === held?.name ? undefined : name, ...kept, given };
}

/** Scopes that a person asks for and nobody lists may be misspelt; the refusal that follows names other reasons. */
function noteUnlisted({ journal }: LoginPorts, discovery: BegunLogin['discovery'], named: readonly string[]): void {
  const { protectedResource, authorizationServer, challengedScopes = [] } = discovery;
  const listed = [...(protectedResource.scopesSupported ?? []), ...authorizationServer.scopesSupported];
  if (listed.length === 0) return;
  const unlisted = named.filter((scope) => !listed.includes(scope) && !challengedScopes.includes(scope));
  if (unlisted.length === 0) return;
  journal.record({
    name: 'scopes',
    asked: unlisted.join(' '),
    came: 'not listed by the server',
    rule: 'RFC 9728 section 2, scopes_supported',
    verdict: 'warning',
    note: 'Check the spelling of --scope.',
  });
}

/** Those given with this login, else those kept with the one that it replaces; nobody has to give them twice. */
async function serverHeaders(
  ports: LoginPorts,
  { dropsHeaders }: LoginRequest,
  held: LoginRecord | undefined,
): Promise<readonly SecretHeader[]> {
  const given = await ports.givenHeaders();
  const names = held?.headerNames ?? [];
  if (given !== undefined || dropsHeaders || held === undefined || names.length === 0) return given ?? [];
  try {
    return (await readCredential(ports, held)).headers ?? [];
  } catch (error) {
    // A store that has stopped working keeps nobody from a login that goes elsewhere.
    if (!isFailure(error)) throw error;
    const lost = names.map((name) => printable(name, 80)).join(', ');
    ports.terminal.tell(`Note: the headers of the earlier login are lost (${lost}): ${printable(error.message)}`);
    ports.terminal.tell('Where the server wants them, give them again: --header-file FILE');
    return [];
  }
}

/**
 * Who asks for what, in the terminal, before any browser is opened or any code is shown.
 * @param by Whose word it is made by.
 */
export function announce({ ports, discovery, scopes, headers, isNew }: BegunLogin, ...by: readonly string[]): void {
  const { server, issuer } = isNew;
  const lines = [
    `Logging in to ${printable(discovery.server)}`,
    `at the authorization server ${printable(discovery.authorizationServer.issuer)}`,
    ...by,
    scopes.length === 0 ? 'with the scopes it gives by default' : `with scope ${printable(scopes.join(' '))}`,
    ...headerLines(headers),
    ...(server ? [`First login to this server. Check ${issuer ? 'both addresses' : 'its address'}.`] : []),
    ...(issuer && !server ? ['First login at this authorization server. Check its address.'] : []),
    ...(isNew.scopes.length === 0 ? [] : [`Additional scope: ${printable(isNew.scopes.join(' '))}`]),
    ...discovery.warnings.map((warning) => `Note: ${printable(warning, 600)}`),
  ];
  lines.forEach(ports.terminal.tell);
}

/** Which headers the server gets; of their values nothing. */
export function headerLines(headers: readonly SecretHeader[]): readonly string[] {
  const names = headers.map(({ name }) => printable(name, 80));
  return names.length === 0 ? [] : [`sending the server ${names.join(', ')} with each request`];
}

/**
 * The store for a new login: the one chosen, else the one that this login, or the last one made, is in, else the
 * keychain. It writes there, and reads what is kept elsewhere where that is.
 * @param held This server's and account's login, to be replaced.
 */
function storeForLogin(
  ports: Pick<LoginPorts, 'store' | 'stores'>,
  chosen: StoreKind | undefined,
  logins: readonly LoginRecord[],
  held: LoginRecord | undefined,
): SecretStore {
  const kept = logins.filter(({ store }) => store !== 'environment');
  const last = kept.toSorted((one, other) => other.obtainedAt - one.obtainedAt)[0];
  const target = ports.stores.of(chosen ?? (held ?? last)?.store ?? 'keychain');
  return {
    kind: target.kind,
    ready: () => target.ready(),
    write: (key, value) => target.write(key, value),
    read: (key) => ports.store.read(key),
    remove: (key) => ports.store.remove(key),
  };
}

/**
 * A login by a company's provider, or one that replaces such a login, is kept in no store that machines share. Neither the
 * store nor a server is asked before.
 * @throws Failure `store_refused`, of the index
 */
export async function refuseShared(
  ports: Pick<LoginPorts, 'index' | 'store' | 'stores'>,
  request: Pick<LoginRequest, 'server' | 'account' | 'name' | 'given' | 'store'> & { readonly byProvider: boolean },
): Promise<void> {
  const { logins } = await ports.index.read();
  const held = sameLogin(logins, request);
  if (!request.byProvider && held?.provider === undefined) return;
  const { kind } = storeForLogin(ports, request.store, logins, held);
  if (isSharedKind(kind)) throw companyNotShared(kind, meantBy(request, held));
}

/** Half of what the index may hold, so that its notes have room, too; reading it takes 30 ms. */
const maxLogins = 1000;
