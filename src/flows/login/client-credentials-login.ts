import { capabilityMissing } from '../../errors/discovery.js';
import { clientKeyUnusable, ownClientMissing } from '../../errors/usage.js';
import type { Ports } from '../../ports.js';
import { printable } from '../../primitives/printable.js';
import type { LoginRecord, StoreKind } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import type { AuthorizationServer } from '../../protocol/oauth/authorization-server-metadata.js';
import { authMethodFor, type ClientAuthentication } from '../../protocol/oauth/client-authentication.js';
import { importPrivateKey } from '../../protocol/oauth/private-key.js';
import { sendClientCredentialsRequest } from '../../protocol/oauth/token-request.js';
import { discover } from '../discovery/discover.js';
import { readCredential } from '../token/read-credential.js';
import { checkName } from './check-name.js';
import { storeForLogin } from './choose-store.js';
import { keepLogin } from './keep-login.js';
import { askForToken } from './redeem.js';
import { selectScopes } from './select-scopes.js';

/** A client that logs in as itself, and what proves that it is that: a secret, or a private key (PKCS #8, PEM). */
export interface OwnClient {
  readonly clientId: string;
  readonly secret: Secret;
  readonly kind: 'secret' | 'key';
}

export interface ClientLoginRequest {
  /** The server's canonical URL. */
  readonly server: string;
  readonly account: string;
  readonly name: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** `--authorization-server`. */
  readonly issuer: string | undefined;
  /** Undefined: the client of the login that is kept for this server and account. */
  readonly client: OwnClient | undefined;
  /** Where its secrets are to be; undefined: where they were. */
  readonly store: StoreKind | undefined;
  readonly signal: AbortSignal;
}

type Needs = Pick<
  Ports,
  'door' | 'store' | 'stores' | 'index' | 'recovery' | 'locks' | 'terminal' | 'journal' | 'progress' | 'clock'
>;

/**
 * Logs in as the client itself (RFC 6749 section 4.4): discovery as for a person, then one token request; no browser,
 * no listener, no refresh token. The secret or the key goes into the login's item of the store, not the path of a
 * file: the keychain guards it better than a file does, a login is whole in itself, and nobody can change the key by
 * changing a file that is read later without anyone looking.
 * @throws Failure of discovery, `client_identifier_needed`, `client_key_unusable`, `capability_missing`,
 * `invalid_client`, `grant_refused`, `token_unusable`, or the store's
 */
export async function clientCredentialsLogin(
  world: Needs,
  request: ClientLoginRequest,
): Promise<LoginRecord> {
  const { server, issuer: wanted, signal } = request;
  const { logins } = await world.index.read();
  checkName(request, logins);
  const held = logins.find((login) => login.server === server && login.account === request.account);
  const ports = { ...world, store: storeForLogin(world, request.store, logins, held) };
  await checkKey(request.client);
  const known = logins.map(({ issuer }) => issuer);
  const grant = 'client_credentials';
  const discovery = await discover(ports, { server, wanted, held: held?.issuer, known, signal, grant });
  const { authorizationServer } = discovery;
  await ports.store.ready();
  const client = request.client
    ? authenticationOf(ports, request.client, authorizationServer)
    : await keptClient(ports, server, held, authorizationServer.issuer);
  const scopes = selectScopes(discovery, { scopes: request.scopes, held: [] }).filter(
    (scope) => scope !== 'offline_access' || request.scopes?.includes(scope),
  );
  ports.terminal.tell(`Logging in to ${printable(server)} as the client ${printable(client.clientId)}`);
  ports.terminal.tell(`at the authorization server ${printable(authorizationServer.issuer)}`);
  ports.progress.begin('Asking for a token');
  try {
    const asked = { discovery, client, scopes, step: grant, signal };
    const redeemed = await askForToken(ports, asked, (endpoint) =>
      sendClientCredentialsRequest(ports.door, { ...endpoint, scopes }),
    );
    // A refresh token has no place here (RFC 6749 section 4.4.3): asking again does what it would do.
    const token = { ...redeemed.token, refreshToken: undefined };
    return await keepLogin(ports, {
      ...request,
      discovery,
      redeemed: { ...redeemed, token },
      way: 'preregistered',
      grant,
      wish: undefined,
    });
  } finally {
    ports.progress.end();
  }
}

/** @throws Failure `client_key_unusable` */
async function checkKey(client: OwnClient | undefined): Promise<void> {
  if (client?.kind === 'key') {
    const imported = await importPrivateKey(client.secret.reveal());
    if (!imported.ok) throw clientKeyUnusable(imported.why);
  }
}

/** @throws Failure `capability_missing` when the server says that it takes no keys */
function authenticationOf(
  ports: Pick<Ports, 'journal'>,
  { clientId, secret, kind }: OwnClient,
  { issuer, tokenAuthMethods }: AuthorizationServer,
): ClientAuthentication {
  if (kind === 'secret') {
    return { clientId, secret, method: authMethodFor(true, tokenAuthMethods) };
  }
  if (tokenAuthMethods?.includes('private_key_jwt') === false) {
    throw capabilityMissing(issuer, 'client authentication by private_key_jwt', ports.journal.steps);
  }
  return { clientId, secret, method: 'private_key_jwt' };
}

/** The client of the login that is there, at its own issuer alone. @throws Failure `client_identifier_needed`, or the store's */
async function keptClient(
  ports: Pick<Ports, 'store'>,
  server: string,
  held: LoginRecord | undefined,
  issuer: string,
): Promise<ClientAuthentication> {
  if (held?.grant !== 'client_credentials' || held.issuer !== issuer) {
    throw ownClientMissing(server);
  }
  const { authMethod, clientSecret, binding } = await readCredential(ports, held);
  return { clientId: binding.clientId, method: authMethod, secret: clientSecret };
}
