import { defined, type ProviderRecord, type StoreKind, type Zone } from '../../core/records.js';
import { quotesSecret } from '../../core/secret.js';
import { printable } from '../../core/text/printable.js';
import { findProvider } from '../../oauth/company/find-provider.js';
import { type Identity, identityIn, idTokenProblem } from '../../oauth/id-token.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import type { IssuedToken } from '../../oauth/token.js';
import { credentialKey, encodeCredential, type StoredCredential } from '../../stores/credential-item.js';
import { providerResource } from '../../stores/kept-provider.js';
import { itemsOf, removeOrphans, withItemToCome, withOrphans, withoutOrphans } from '../../stores/orphans.js';
import { providerLogin } from '../../tokens/company/vouch.js';
import { tokenUnusable } from '../../tokens/failures.js';
import { refreshed } from '../../tokens/keep-refreshed.js';
import { chosenRedirectUri } from '../../tokens/registrations.js';
import { byBrowser } from '../by-browser.js';
import type { BegunLogin, GivenProvider, LoginPorts, PersonLogin } from '../ports.js';
import type { Redeemed } from '../redeem.js';
import { credentialLockWaitMs } from '../save-credential.js';
import { providerNeedsPerson } from './failures.js';

/** For which server's login somebody logs in at the provider. */
export interface ProviderLoginRequest {
  /** The server's login, begun. */
  readonly begun: BegunLogin;
  readonly request: PersonLogin;
  readonly provider: GivenProvider;
  /** The login at the provider that was found wanting. */
  readonly seen: ProviderRecord | undefined;
}

/**
 * One login of a person at a company's provider (OpenID Connect Core 1.0, section 3.1), kept for all servers that hang on it.
 * One at a time on this machine: whoever waits takes the one that was made.
 * @throws Failure `login_needs_person`, of the provider's metadata, of the way through the browser, of the store
 */
export async function logInAtProvider(world: LoginPorts, login: ProviderLoginRequest): Promise<void> {
  const { request, provider, seen } = login;
  const { person, account, signal } = request;
  const { issuer, clientId } = provider;
  if (person.nobody !== undefined) throw providerNeedsPerson(person.nobody);
  const name = `provider login ${issuer} ${clientId} ${account}`;
  await using _turn = await world.locks.acquire(name, { waitMs: person.timeoutMs, signal });
  const made = await providerLogin(world, { provider, account });
  const isOther = made !== undefined && (seen === undefined || made.generation !== seen.generation);
  if (isOther && made.dead !== true) return;
  const { provider: server, zone } = await findProvider(world, { issuer, byBrowser: true, signal });
  const begun = await beginAt(login, server, zone);
  const browser = request.browser ?? login.begun.held?.browser;
  const client = { ...request.client, way: 'preregistered', metadataUrl: undefined } as const;
  await byBrowser(
    begun,
    { ...request, browser, client },
    {
      consent: undefined,
      overtaken: undefined,
      announce: () => world.terminal.tell(`Logging in at the company’s provider ${printable(issuer)}`),
      keep: async (redeemed) => ({ ...(await keep(begun, login, redeemed)), isProvider: true }),
    },
  );
}

/** The login at the provider, as the steps of every login know one. Its failures name the server's login. */
async function beginAt(
  { begun, provider, seen }: ProviderLoginRequest,
  server: AuthorizationServer,
  zone: Zone,
): Promise<BegunLogin> {
  const { issuer, clientId, secret } = provider;
  const document = await begun.ports.index.read();
  const hasOther = document.providers?.some((one) => one.issuer === issuer) === true;
  const listed = (scope: string) => server.scopesSupported.includes(scope);
  return {
    ports: begun.ports,
    meant: begun.meant,
    held: undefined,
    discovery: {
      server: issuer,
      zone,
      protectedResource: {
        resource: issuer,
        relation: 'same',
        authorizationServers: [issuer],
        scopesSupported: undefined,
      },
      requestedResource: null,
      authorizationServer: server,
      challengedScopes: undefined,
      warnings: [],
    },
    kept: [],
    clientName: undefined,
    preregistered: { clientId, secret, issuer, redirectUri: undefined },
    redirectUri: chosenRedirectUri(document, issuer),
    scopes: ['openid', ...['email', 'offline_access'].filter(listed)],
    added: {},
    headers: [],
    dpop: undefined,
    dpopChoice: undefined,
    isNew: { server: false, issuer: false, account: seen === undefined && hasOther, scopes: [] },
  };
}

/** Whose login it is. @throws Failure `token_unusable` where no ID token says it */
function whoIn({ idToken, obtainedAt }: IssuedToken, issuer: string, clientId: string): Identity {
  const expected = { issuer, clientId, now: obtainedAt };
  if (idToken === undefined) throw tokenUnusable(issuer, 'it has no ID token');
  const why = idTokenProblem(idToken, expected);
  const identity = identityIn(idToken, expected);
  if (identity === undefined) throw tokenUnusable(issuer, `its ID token cannot be used: ${why}`);
  return identity;
}

/** Writes the item, then the index, as for every login; the provider's own access token is not kept. */
async function keep(begun: BegunLogin, login: ProviderLoginRequest, redeemed: Redeemed): Promise<ProviderRecord> {
  const { ports } = begun;
  const { account, signal } = login.request;
  const { issuer, clientId } = login.provider;
  const identity = whoIn(redeemed.token, issuer, clientId);
  const binding = { server: issuer, resource: providerResource, issuer, clientId, account };
  const key = await credentialKey(binding);
  const store: StoreKind = ports.store.kind;
  const item = { key, store };
  const before = await (async () => {
    await using _lock = await ports.locks.acquire(key, { waitMs: credentialLockWaitMs, signal });
    const { providers = [] } = await ports.index.read();
    const old = providers.find((one) => one.key === key);
    const credential = credentialOf(begun, redeemed, {
      binding,
      subject: identity.subject,
      generation: 1 + (old?.generation ?? 0),
    });
    await ports.index.update((document) => withItemToCome(document, item));
    await ports.store.write(key, encodeCredential(credential));
    await ports.recovery.forget(key);
    const record = recordOf(begun, credential, { identity, item });
    await ports.index.update((document) => {
      const others = (document.providers ?? []).filter((one) => one.key !== key);
      const kept = withoutOrphans({ ...document, providers: [...others, record] }, [item]);
      const left = old === undefined ? [] : itemsOf(old).filter((one) => one.store !== store);
      return withOrphans(kept, left);
    });
    return { record, old };
  })();
  await removeOrphans(ports, (one) => one.key === key, signal);
  return before.record;
}

function credentialOf(
  { discovery }: BegunLogin,
  { token, client }: Redeemed,
  about: Pick<StoredCredential, 'binding' | 'generation'> & { readonly subject: string },
): StoredCredential {
  const { tokenEndpoint, revocationEndpoint } = discovery.authorizationServer;
  const { accessToken, obtainedAt, expiresAt, scopes, refreshToken } = token;
  const bare: StoredCredential = {
    ...about,
    version: 2,
    accessToken,
    expiresAt,
    obtainedAt,
    scopes,
    tokenEndpoint,
    authMethod: client.method,
    holds: 'id_token',
    requestedResource: null,
    ...defined({ refreshToken, revocationEndpoint, clientSecret: client.secret }),
  };
  return refreshed(bare, token);
}

function recordOf(
  { discovery }: BegunLogin,
  credential: StoredCredential,
  {
    identity,
    item,
  }: { readonly identity: Identity; readonly item: { readonly key: string; readonly store: StoreKind } },
): ProviderRecord {
  const { binding, expiresAt, obtainedAt, scopes, generation, accessToken, refreshToken, clientSecret } = credential;
  const isClean = !quotesSecret(identity.shown, [accessToken, refreshToken, clientSecret]);
  return {
    ...item,
    ...binding,
    ...{ expiresAt, obtainedAt, scopes, generation },
    refreshable: refreshToken !== undefined,
    zone: discovery.zone,
    registration: 'preregistered',
    requestedResource: null,
    ...(isClean ? { identity: identity.shown } : {}),
  };
}
