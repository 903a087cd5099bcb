import type { ProviderRecord, Zone } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import { findProvider } from '../../oauth/company/find-provider.js';
import { endOfIdToken, identityIn, idTokenProblem } from '../../oauth/id-token.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import { tokenUnusable } from '../../tokens/failures.js';
import { chosenRedirectUri } from '../../tokens/registrations.js';
import { providerLogin } from '../../tokens/vouch.js';
import { byBrowser } from '../by-browser.js';
import type { BegunLogin, GivenProvider, PersonLogin } from '../ports.js';
import type { Redeemed } from '../redeem.js';
import { type NewLogin, saveCredential } from '../save-credential.js';

/**
 * One login of a person at a company's provider (OpenID Connect Core 1.0, section 3.1), kept for all servers that hang on it.
 * One at a time on this machine: whoever waits takes the one that was made.
 * @param login The server's login that it is for, begun. @param seen The login at the provider that was found wanting.
 * @throws Failure `login_needs_person`, of the provider's metadata, of the way through the browser, of the store
 */
export async function logInAtProvider(
  login: BegunLogin<PersonLogin>,
  provider: GivenProvider,
  seen: ProviderRecord | undefined,
): Promise<void> {
  const { ports, request } = login;
  const { person, account, signal } = request;
  const { issuer, clientId } = provider;
  if (person.nobody !== undefined) throw person.nobody;
  const name = `provider login ${issuer} ${clientId} ${account}`;
  await using _turn = await ports.locks.acquire(name, { waitMs: person.timeoutMs, signal });
  const made = await providerLogin(ports, { provider, account });
  const isOther = made !== undefined && (seen === undefined || made.generation !== seen.generation);
  if (isOther && made.dead !== true) return;
  const { provider: server, zone } = await findProvider(ports, { issuer, byBrowser: true, signal });
  const begun = await beginAt(login, provider, { server, zone, isNew: seen === undefined });
  await byBrowser(begun, {
    announce: () => ports.terminal.tell(`Logging in at the company’s provider ${printable(issuer)}`),
    keep: async (redeemed) => {
      const record = await saveCredential(begun, { ...loginOf(redeemed, provider), grant: 'authorization_code' });
      return { ...record, isProvider: true };
    },
  });
}

/** The login at the provider, as the steps of every login know one. Its failures name the server's login. */
async function beginAt(
  login: BegunLogin<PersonLogin>,
  { issuer, clientId, secret }: GivenProvider,
  found: { readonly server: AuthorizationServer; readonly zone: Zone; readonly isNew: boolean },
): Promise<BegunLogin<PersonLogin>> {
  const { ports, meant, request, held } = login;
  const { server, zone, isNew } = found;
  const { person, account, store, signal } = request;
  const document = await ports.index.read();
  const hasOther = document.providers?.some((one) => one.issuer === issuer) === true;
  const listed = (scope: string) => server.scopesSupported.includes(scope);
  return {
    request: {
      ...{ server: issuer, account, store, signal, person, page: request.page },
      browser: request.browser ?? held?.browser,
      scopes: { named: undefined, held: [] },
      client: { way: 'preregistered' },
    },
    ports,
    meant,
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
    preregistered: { clientId, secret, issuer },
    redirectUri: chosenRedirectUri(document, issuer),
    scopes: ['openid', ...['email', 'offline_access'].filter(listed)],
    added: {},
    headers: [],
    dpop: undefined,
    dpopChoice: undefined,
    isNew: { server: false, issuer: false, account: isNew && hasOther, scopes: [] },
  };
}

/** Of which the ID token counts; the provider's own access token is not kept. @throws Failure `token_unusable` where none says who it is */
function loginOf(redeemed: Redeemed, { issuer, clientId }: GivenProvider): Omit<NewLogin, 'grant'> {
  const { idToken, obtainedAt } = redeemed.token;
  const expected = { issuer, clientId, now: obtainedAt };
  if (idToken === undefined) throw tokenUnusable(issuer, 'it has no ID token');
  const identity = identityIn(idToken, expected);
  if (identity === undefined) {
    throw tokenUnusable(issuer, `its ID token cannot be used: ${idTokenProblem(idToken, expected)}`);
  }
  const ofIdToken = { accessToken: idToken, expiresAt: endOfIdToken(idToken) ?? null, warnings: [] };
  const token = { ...redeemed.token, ...ofIdToken };
  return { redeemed: { ...redeemed, token }, identity, way: 'preregistered', holds: 'id_token' };
}
