import { Failure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { ClientAuthMethod, Grant, LoginRecord, RegistrationWay, StoredItem } from '../core/records.js';
import { unionScopes } from '../core/scope.js';
import { quotesSecret } from '../core/secret.js';
import type { Discovery } from '../oauth/discover.js';
import { identityIn } from '../oauth/id-token.js';
import type { IssuedToken } from '../oauth/token.js';
import { credentialKey, encodeCredential } from '../stores/credential-item.js';
import {
  isRecorded,
  itemsOf,
  markShared,
  removeOrphans,
  withItemToCome,
  withOrphans,
  withoutOrphans,
} from '../stores/orphans.js';
import type { StorePorts } from '../stores/ports.js';
import { loginBrakes } from '../tokens/budget.js';
import { forgetFailures } from '../tokens/remember-failure.js';
import { wishOf } from './one-login-at-a-time.js';
import type { LoginRequest } from './ports.js';
import type { Redeemed } from './redeem.js';

/** How long a write waits for another process that has the same credential in hand. */
export const credentialLockWaitMs = 30_000;

type KeepPorts = Pick<StorePorts, 'attempts' | 'recovery' | 'failures' | 'store' | 'stores' | 'index' | 'locks'> &
  Pick<CorePorts, 'terminal'>;

export interface NewLogin {
  readonly request: Pick<LoginRequest, 'account' | 'name' | 'scopes' | 'heldScopes' | 'metadataUrl' | 'signal'>;
  readonly discovery: Discovery;
  readonly redeemed: Redeemed;
  readonly way: RegistrationWay;
  readonly grant: Grant;
}

/**
 * Writes a new login: the secret item first, then the index, then what it replaces is taken away: another issuer's or
 * client's credential of the same server and account, or this one in the store where it was.
 * @throws Failure of the store, the index and the lock (`busy`)
 */
export async function keepLogin(ports: KeepPorts, login: NewLogin): Promise<LoginRecord> {
  if (login.grant === 'authorization_code') {
    // First: once it stands in the index, others use it, and may find that the server refuses it.
    await loginBrakes(ports, { server: login.discovery.server, account: login.request.account }).issued();
  }
  const { record, replaced } = await write(ports, login);
  await forgetFailures(ports, record.server);
  for (const item of replaced) {
    // Under its own lock: a refresh that is under way would write the old credential once more.
    await using _lock = await ports.locks.acquire(item.key, {
      waitMs: credentialLockWaitMs,
      signal: login.request.signal,
    });
    await removeOld(ports, item);
  }
  await removeOrphans(ports, ({ store }) => store === ports.store.kind, login.request.signal);
  return record;
}

/** A store that has stopped working must not keep a person from the one that works; what stays is noted, and said. */
async function removeOld(ports: KeepPorts, old: StoredItem): Promise<void> {
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

async function write(
  ports: KeepPorts,
  login: NewLogin,
): Promise<{ readonly record: LoginRecord; readonly replaced: readonly StoredItem[] }> {
  const { request } = login;
  const binding = {
    server: login.discovery.server,
    resource: login.discovery.protectedResource.resource,
    issuer: login.discovery.authorizationServer.issuer,
    clientId: login.redeemed.client.clientId,
    account: request.account,
  };
  const key = await credentialKey(binding);
  await using _lock = await ports.locks.acquire(key, { waitMs: credentialLockWaitMs, signal: request.signal });
  const { logins } = await ports.index.read();
  const same = (record: LoginRecord) => record.server === login.discovery.server && record.account === request.account;
  const before = logins.filter((record) => record.key === key || same(record));
  const generation = 1 + Math.max(0, ...before.map((record) => record.generation));
  const { token, client } = login.redeemed;
  const isClean = (text: string) =>
    !quotesSecret(text, [token.accessToken, token.refreshToken, token.idToken, client.secret]);
  const endpoints = endpointsOf(login.discovery, client.method);
  const identity = identityIn(token.idToken, binding);
  const secret = client.secret === undefined ? {} : { clientSecret: client.secret };
  const grant = login.grant === 'client_credentials' ? { grant: login.grant } : {};
  const place = { key, store: ports.store.kind };
  // First, so that whatever ends this process here leaves nothing that nobody knows of.
  await ports.index.update((document) => withItemToCome(document, place));
  await ports.store.write(
    key,
    encodeCredential({
      ...itemOf(token),
      ...(identity === undefined ? {} : { subject: identity.subject }),
      ...secret,
      ...grant,
      ...endpoints,
      binding,
      generation,
      version: 2,
    }),
  );
  await ports.recovery.forget(key); // what an older login left there
  const name = request.name ?? before.filter(same).find((old) => old.name !== undefined)?.name;
  const record: LoginRecord = {
    key,
    ...(name === undefined ? {} : { name }),
    ...binding,
    ...(identity !== undefined && isClean(identity.shown) ? { identity: identity.shown } : {}),
    scopes: token.scopes,
    ...askedScopes(request, before.find(same)),
    expiresAt: token.expiresAt,
    obtainedAt: token.obtainedAt,
    refreshable: token.refreshToken !== undefined || login.grant === 'client_credentials',
    store: ports.store.kind,
    zone: login.discovery.zone,
    registration: login.way,
    ...grant,
    warnings: [...login.discovery.warnings, ...token.warnings].filter(isClean),
    generation,
    // Nobody waits for a login of the client's own.
    ...(login.grant === 'authorization_code' ? { requestFingerprint: await wishOf(request) } : {}),
  };
  const places = before.flatMap(itemsOf);
  const after = await ports.index.update((document) => {
    let others: readonly LoginRecord[] = document.logins.filter((old) => !same(old));
    for (const old of document.logins.filter(same)) others = markShared(others, old.key);
    const kept = withoutOrphans({ ...document, logins: [...others, record] }, [place]);
    return withOrphans(
      kept,
      places.filter((old) => !isRecorded(kept, kindOf(ports, old))),
    );
  });
  return { record, replaced: places.filter((old) => !isRecorded(after, kindOf(ports, old))) };
}

/** What to name with `--scope` when this login is made again; a step-up of one that named none goes on without. */
function askedScopes(
  { scopes, heldScopes }: NewLogin['request'],
  before: LoginRecord | undefined,
): Pick<LoginRecord, 'askedScopes'> {
  const isStepUp = heldScopes.length > 0;
  if (scopes === undefined || (isStepUp && before?.askedScopes === undefined)) return {};
  return { askedScopes: unionScopes(before && isStepUp ? (before.askedScopes ?? []) : [], scopes) };
}

/** Whoever brings a store has no other, whatever it was called when the record was written. */
function kindOf(ports: KeepPorts, { key, store }: StoredItem): StoredItem {
  return { key, store: ports.stores.of(store).kind };
}

/** What of an issued token goes into the item. */
export function itemOf(token: IssuedToken) {
  return {
    accessToken: token.accessToken,
    ...(token.refreshToken === undefined ? {} : { refreshToken: token.refreshToken }),
    expiresAt: token.expiresAt,
    obtainedAt: token.obtainedAt,
    scopes: token.scopes,
  };
}

function endpointsOf(discovery: Discovery, authMethod: ClientAuthMethod) {
  const { tokenEndpoint, revocationEndpoint } = discovery.authorizationServer;
  return { tokenEndpoint, authMethod, ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }) };
}
