import { Failure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import type { LoginRecord, StoreKind } from '../../core/records.js';
import type { Secret } from '../../core/secret.js';
import { printable } from '../../core/text/printable.js';
import type { HttpPorts } from '../../http/request.js';
import { authMethodFor, type ClientAuthentication } from '../../oauth/client-authentication.js';
import { importPrivateKey } from '../../oauth/client-key.js';
import { discover } from '../../oauth/discover.js';
import { ownClientRefused } from '../../oauth/failures.js';
import { selectScopes } from '../../oauth/select-scopes.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import { sendClientCredentialsRequest } from '../../oauth/token.js';
import type { StorePorts } from '../../stores/ports.js';
import { readForIssuer } from '../../tokens/read-credential.js';
import { registrationsFor } from '../../tokens/registrations.js';
import { askForToken, type Redeemed } from '../redeem.js';
import { keepLogin } from '../save-credential.js';
import { checkName, loginToReplace, storeForLogin } from '../which-login.js';
import { checkMovedEndpoint, checkSecret } from './check-secret.js';
import { clientKeyUnusable, clientProofMissing, ownClientMissing } from './failures.js';
import { checkTakesKeys, forgetOlderKeys, keysMade } from './made-keys.js';

/**
 * A client that logs in as itself, and what proves that it is that: a secret, a private key (PEM or JWK), or a key that
 * was made here for it (`--generate-key`).
 */
export type OwnClient =
  /** `unbound`: the secret comes from a variable that does not say which issuer it is for. */
  | {
      readonly clientId: string;
      readonly secret: Secret;
      readonly kind: 'secret';
      readonly unbound?: boolean;
    }
  | { readonly clientId: string; readonly secret: Secret; readonly kind: 'key' }
  | { readonly clientId: string; readonly kind: 'made' };

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

type Needs = Pick<StorePorts, 'attempts' | 'store' | 'stores' | 'index' | 'recovery' | 'failures' | 'locks'> &
  Pick<CorePorts, 'limits' | 'terminal' | 'journal' | 'progress' | 'clock'> &
  Pick<HttpPorts, 'http'>;

/**
 * Logs in as the client itself (RFC 6749 section 4.4): discovery as for a person, then one token request; no browser,
 * no listener, no refresh token. The secret or the key goes into the login's item of the store, not the path of a
 * file: the keychain guards it better than a file does, a login is whole in itself, and nobody can change the key by
 * changing a file that is read later without anyone looking.
 * @throws Failure of discovery, `client_identifier_needed`, `client_key_unusable`, `capability_missing`,
 * `invalid_client`, `grant_refused`, `token_unusable`, or the store's
 */
export async function clientCredentialsLogin(world: Needs, request: ClientLoginRequest): Promise<LoginRecord> {
  const { server, issuer: wanted, signal } = request;
  const { logins } = await world.index.read();
  checkName(request, logins);
  const held = loginToReplace(logins, request);
  const ports = { ...world, store: storeForLogin(world, request.store, logins, held) };
  await checkKey(request.client);
  const known = logins.map(({ issuer }) => issuer);
  const grant = 'client_credentials';
  const discovery = await discover(ports, { server, wanted, held, known, signal, grant });
  const { authorizationServer } = discovery;
  await ports.store.ready();
  await checkMovedEndpoint(ports, discovery, { held, wanted, signal });
  if (request.client?.kind === 'secret' && request.client.unbound === true) {
    const { issuer } = authorizationServer;
    const kept = await registrationsFor(ports, issuer);
    await checkSecret(ports, request.client, { server, issuer, kept, held, signal });
  }
  const clients: Clients = request.client
    ? await authenticationsOf(ports, request.client, authorizationServer)
    : [await keptClient(ports, server, held, authorizationServer.issuer)];
  const scopes = selectScopes(discovery, { scopes: request.scopes, held: [] }).filter(
    (scope) => scope !== 'offline_access' || request.scopes?.includes(scope),
  );
  ports.terminal.tell(`Logging in to ${printable(server)} as the client ${printable(clients[0].clientId)}`);
  ports.terminal.tell(`at the authorization server ${printable(authorizationServer.issuer)}`);
  ports.progress.begin('Asking for a token');
  try {
    const redeemed = await askAs(ports, clients, { discovery, scopes, step: grant, spent: [], signal });
    // A refresh token has no place here (RFC 6749 section 4.4.3): asking again does what it would do.
    const token = { ...redeemed.token, refreshToken: undefined };
    const login = await keepLogin(ports, {
      request: { ...request, heldScopes: [], metadataUrl: undefined },
      discovery,
      redeemed: { ...redeemed, token },
      way: 'preregistered',
      grant,
    });
    await forgetOlderKeys(ports, redeemed.client, { issuer: login.issuer, signal });
    return login;
  } finally {
    ports.progress.end();
  }
}

type Clients = readonly [ClientAuthentication, ...ClientAuthentication[]];

/** Asks as the first; as the next where that key is not (yet) registered. @throws Failure as `askForToken` */
async function askAs(
  ports: Needs,
  clients: Clients,
  asked: Omit<Parameters<typeof askForToken>[1], 'client'>,
): Promise<Redeemed> {
  const [client, next, ...rest] = clients;
  try {
    return await askForToken(ports, { ...asked, client }, (endpoint) =>
      sendClientCredentialsRequest(ports.http, { ...endpoint, scopes: asked.scopes }),
    );
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_client') throw error;
    if (next === undefined) throw ownClientRefused(error);
    return await askAs(ports, [next, ...rest], asked);
  }
}

/** @throws Failure `client_key_unusable` */
async function checkKey(client: OwnClient | undefined): Promise<void> {
  if (client?.kind === 'key') {
    const imported = await importPrivateKey(client.secret.reveal());
    if (!imported.ok) throw clientKeyUnusable(imported.why);
  }
}

/** The newest key first. @throws Failure `capability_missing` when the server takes no keys, `usage` when there is none */
async function authenticationsOf(
  ports: Pick<CorePorts, 'journal'> & Pick<StorePorts, 'index' | 'stores'>,
  client: OwnClient,
  server: AuthorizationServer,
): Promise<Clients> {
  const { clientId } = client;
  if (client.kind === 'secret') {
    return [{ clientId, secret: client.secret, method: authMethodFor(true, server.tokenAuthMethods) }];
  }
  const method = 'private_key_jwt';
  const made = client.kind === 'made' ? await keysMade(ports, { issuer: server.issuer, clientId }) : [];
  const [first, ...older] = client.kind === 'made' ? made : [client.secret];
  if (first === undefined) throw clientProofMissing();
  checkTakesKeys(server);
  return [{ clientId, secret: first, method }, ...older.map((secret) => ({ clientId, secret, method }) as const)];
}

/** The client of the login that is there, at its own issuer alone. @throws Failure `client_identifier_needed`, or the store's */
async function keptClient(
  ports: Pick<StorePorts, 'store' | 'index'>,
  server: string,
  held: LoginRecord | undefined,
  issuer: string,
): Promise<ClientAuthentication> {
  if (held?.grant !== 'client_credentials' || held.issuer !== issuer) throw ownClientMissing(server);
  const { authMethod, clientSecret, binding } = await readForIssuer(ports, held);
  return { clientId: binding.clientId, method: authMethod, secret: clientSecret };
}
