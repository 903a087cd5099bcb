import { Failure } from '../core/failure.js';
import { loginArgument, loginCommand } from '../core/login-command.js';
import {
  defined,
  type Grant,
  type LoginRecord,
  type PersonClaims,
  type RegistrationWay,
  type StoredItem,
} from '../core/records.js';
import { unionScopes } from '../core/scope.js';
import { quotesSecret, type Secret } from '../core/secret.js';
import { printable } from '../core/text/printable.js';
import { endsOf } from '../core/time.js';
import { type ExpectedIdToken, type Identity, identityIn, idTokenProblem } from '../oauth/id-token.js';
import type { IssuedToken } from '../oauth/token.js';
import { type KeptAssertion, recordOfAssertion } from '../stores/assertions.js';
import {
  type CredentialBinding,
  credentialKey,
  encodeCredential,
  type KeptProvider,
  providerResource,
  recordOfProvider,
  type StoredCredential,
} from '../stores/credential-item.js';
import { isRecorded, itemsOf, removeOrphans, withItemToCome, withOrphans, withoutOrphans } from '../stores/orphans.js';
import { loginBrakes, platformRefusals } from '../tokens/budget.js';
import { forgetFailures } from '../tokens/credential-target.js';
import { parametersFor } from './begin-login.js';
import { keptProofs } from './bind-login.js';
import { usualBrowser } from './browser/chosen-browser.js';
import { freeName } from './login-name.js';
import type { BegunLogin, LoginRequest } from './ports.js';
import type { Redeemed } from './redeem.js';

/** How long a write waits for another process that has the same credential in hand. */
export const credentialLockWaitMs = 30_000;

type SavePorts = BegunLogin['ports'];

export interface NewLogin {
  readonly redeemed: Redeemed;
  readonly way: RegistrationWay;
  readonly grant: Grant;
  /** Where the platform's token is that the client logged in by. */
  readonly assertion?: KeptAssertion | undefined;
  readonly provider?: KeptProvider | undefined;
  readonly providerSecret?: Secret | undefined;
  /** Who logged in, as that provider says. */
  readonly identity?: Identity | undefined;
  /** It is the login at a company's provider itself, and its token the ID token. */
  readonly holds?: 'id_token' | undefined;
}

/**
 * Writes a new login: the secret item first, then the index, then what it replaces is taken away: another issuer's or
 * client's credential of the same server and account, or this one in the store where it was.
 * @throws Failure of the store, the index and the lock (`busy`)
 */
export async function saveCredential(begun: BegunLogin, login: NewLogin): Promise<LoginRecord> {
  const { ports, request } = begun;
  const { signal } = request;
  // First: once the index has it, others use it, and may find that the server refuses it.
  if (login.grant === 'authorization_code' && login.holds === undefined) await loginBrakes(ports, request).issued();
  const { record, replaced } = await write(begun, login);
  await forgetFailures(ports, record.server);
  await noteSamePerson(ports, record);
  if ((login.assertion ?? login.provider) !== undefined) await ports.attempts.forget(platformRefusals(record));
  for (const item of replaced) {
    // Under its own lock: a refresh that is under way would write the old credential once more.
    await using _lock = await ports.locks.acquire(item.key, { waitMs: credentialLockWaitMs, signal });
    await removeOld(ports, item);
  }
  await removeOrphans(ports, ({ store }) => store === ports.store.kind, signal);
  return record;
}

/** A browser logs in as whom it knows, though the user wants to be another one. */
async function noteSamePerson({ index, terminal }: SavePorts, record: LoginRecord): Promise<void> {
  const { server, account, issuer, person, identity = '' } = record;
  const isSame = (one: LoginRecord) =>
    one.server === server && one.issuer === issuer && one.person?.sub === person?.sub;
  const other = (await index.read()).logins.find((one) => one.account !== account && isSame(one));
  if (person === undefined || other === undefined) return;
  const again = loginCommand({ ...record, name: undefined, account }, '--prompt', 'login');
  terminal.tell(
    `Note: ${loginArgument(other)} is a login of the same person, ${identity}. To log in as another, run: ${again}`,
  );
}

/** A store that has stopped working must not keep a person from the one that works; what stays is noted, and said. */
async function removeOld(ports: SavePorts, old: StoredItem): Promise<void> {
  try {
    await ports.stores.of(old.store).remove(old.key);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    ports.terminal.tell(`Note: the earlier credential is still in the store ${old.store}. ${error.message}`);
    ports.terminal.tell('Once that store works, postern status removes it.');
    return;
  }
  await ports.recovery.forget(old.key);
  await ports.index.update((document) => withoutOrphans(document, [old]));
}

async function write(begun: BegunLogin, login: NewLogin): Promise<{ record: LoginRecord; replaced: StoredItem[] }> {
  const { ports, request, discovery } = begun;
  const { server, account, baseName, signal } = request;
  const list = login.holds === undefined ? 'logins' : 'providers';
  const binding = {
    server,
    resource: list === 'providers' ? providerResource : discovery.protectedResource.resource,
    issuer: discovery.authorizationServer.issuer,
    clientId: login.redeemed.client.clientId,
    account,
  };
  const key = await credentialKey(binding);
  await using _lock = await ports.locks.acquire(key, { waitMs: credentialLockWaitMs, signal });
  const isSame = (record: LoginRecord) =>
    list === 'providers' ? record.key === key : record.server === server && record.account === account;
  const before = ((await ports.index.read())[list] ?? []).filter((record) => record.key === key || isSame(record));
  const generation = 1 + Math.max(0, ...before.map((record) => record.generation));
  const item = { key, store: ports.store.kind };
  // First, so that whatever ends this process here leaves nothing that nobody knows of.
  await ports.index.update((document) => withItemToCome(document, item));
  await ports.store.write(key, encodeCredential(credentialOf(begun, login, binding, generation)));
  await ports.recovery.forget(key); // what an older login left there
  let record: LoginRecord = { ...item, generation, ...(await recordOf(begun, login, binding, before.filter(isSame))) };
  const items = before.flatMap(itemsOf);
  const isGone = (old: StoredItem, document: Parameters<typeof isRecorded>[0]) =>
    // Whoever brings a store has no other, whatever it was called when the record was written.
    !isRecorded(document, { key: old.key, store: ports.stores.of(old.store).kind });
  const after = await ports.index.update((document) => {
    const others = (document[list] ?? []).filter((old) => !isSame(old));
    // Chosen here, so that two logins that are made at the same time do not get the same one.
    const name = record.name ?? (baseName && freeName(baseName, document, record.server));
    record = { ...record, ...defined({ name }) };
    const kept = withoutOrphans({ ...document, [list]: [...others, record] }, [item]);
    return withOrphans(
      kept,
      items.filter((old) => isGone(old, kept)),
    );
  });
  return { record, replaced: items.filter((old) => isGone(old, after)) };
}

function credentialOf(
  begun: BegunLogin,
  { redeemed, grant, assertion, provider, providerSecret, holds }: NewLogin,
  binding: CredentialBinding,
  generation: number,
): StoredCredential {
  const { discovery, headers } = begun;
  const { token, client } = redeemed;
  const { accessToken, refreshToken, expiresAt, obtainedAt, scopes } = token;
  const { tokenEndpoint, revocationEndpoint } = discovery.authorizationServer;
  const subject = identityIn(token.idToken, { ...binding, now: obtainedAt })?.subject;
  return {
    version: 2,
    binding,
    generation,
    accessToken,
    expiresAt,
    obtainedAt,
    ...endsOf(token),
    scopes,
    tokenEndpoint,
    authMethod: client.method,
    ...(headers.length === 0 ? {} : { headers }),
    ...keptProofs(token, begun).item,
    // Asking again does what a refresh token would (RFC 6749 section 4.4.3), and a provider decides each time.
    ...defined(grant === 'authorization_code' ? { refreshToken } : { grant }),
    ...defined({ revocationEndpoint, subject, clientSecret: client.secret, provider, providerSecret }),
    ...defined({ requestedResource: discovery.requestedResource, assertion, holds }),
  };
}

async function recordOf(
  begun: BegunLogin,
  { redeemed, way, grant, assertion, provider, ...login }: NewLogin,
  binding: CredentialBinding,
  before: readonly LoginRecord[],
): Promise<Omit<LoginRecord, 'key' | 'store' | 'generation'>> {
  const { request, discovery, headers, dpop } = begun;
  const { token, client } = redeemed;
  const isClean = (text: string) =>
    !quotesSecret(text, [
      ...[token.accessToken, token.refreshToken, token.idToken, client.secret, dpop?.key, login.providerSecret],
      ...headers.map(({ value }) => value),
    ]);
  const expected = { ...binding, now: token.obtainedAt };
  const identity = login.identity ?? identityIn(token.idToken, expected);
  const own = grant === 'client_credentials' ? grant : undefined;
  const browser = request.browser ?? before[0]?.browser;
  const same = before.find((old) => old.issuer === binding.issuer && old.grant === own);
  return {
    ...binding,
    scopes: token.scopes,
    expiresAt: token.expiresAt,
    obtainedAt: token.obtainedAt,
    ...endsOf(token),
    refreshable: token.refreshToken !== undefined || grant !== 'authorization_code',
    zone: discovery.zone,
    registration: way,
    warnings: [...discovery.warnings, ...token.warnings, ...identityWarnings(request, token, expected)].filter(isClean),
    ...defined({
      name: request.name ?? before.find((old) => old.name !== undefined)?.name,
      identity: identity !== undefined && isClean(identity.shown) ? identity.shown : undefined,
      person: identity === undefined ? undefined : personOf(identity, isClean),
      preferred: before.find((old) => old.preferred)?.preferred,
      ...keptProofs(token, begun).record,
      legacy: discovery.protectedResource.isLegacy,
      requestedResource: discovery.requestedResource,
      authorizationParams: parametersFor(request, binding.issuer, same),
      askedScopes: askedScopes(request, same),
      grant: own,
      provider: provider && recordOfProvider(provider),
      assertion: assertion && recordOfAssertion(assertion),
      browser: browser?.program === usualBrowser ? undefined : browser,
      clientName: way === 'dynamic' ? (request.client.name ?? before[0]?.clientName) : undefined,
      headerNames: headers.length === 0 ? undefined : headers.map(({ name }) => name),
    }),
  };
}

/** Who asked for an ID token is told where it says nothing; the login is good without it. */
function identityWarnings(
  { scopes: { named = [] } }: LoginRequest,
  { idToken }: IssuedToken,
  expected: ExpectedIdToken,
): readonly string[] {
  if (!named.includes('openid')) return [];
  const why = idToken === undefined ? 'none came' : idTokenProblem(idToken, expected);
  return why === undefined ? [] : [`who logged in is not known from the ID token: ${why}`];
}

function personOf({ subject, name, email }: Identity, isClean: (text: string) => boolean): PersonClaims | undefined {
  const shown = (text: string | undefined) => (text !== undefined && isClean(text) ? printable(text, 255) : undefined);
  const sub = shown(subject);
  return sub === undefined ? undefined : { sub, ...defined({ name: shown(name), email: shown(email) }) };
}

/** What was named with `--scope`, now or before, for when this login is made again; a step-up of one that named none goes on without. */
function askedScopes(
  { scopes: { named, held } }: LoginRequest,
  before: LoginRecord | undefined,
): readonly string[] | undefined {
  const isStepUp = held.length > 0;
  if (named === undefined || (isStepUp && before?.askedScopes === undefined)) return before?.askedScopes;
  return unionScopes(isStepUp ? (before?.askedScopes ?? []) : [], named);
}
