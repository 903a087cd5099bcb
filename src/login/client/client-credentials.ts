import { isFailure } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import type { Secret } from '../../core/secret.js';
import { printable } from '../../core/text/printable.js';
import { authMethodFor, type ClientAuthentication } from '../../oauth/client-authentication.js';
import { importPrivateKey } from '../../oauth/client-key.js';
import { ownClientRefused } from '../../oauth/failures.js';
import { privateKeysOf } from '../../tokens/client-keys.js';
import { readForIssuer } from '../../tokens/read-credential.js';
import { beginLogin } from '../begin-login.js';
import type { BegunLogin, LoginPorts, LoginRequest } from '../ports.js';
import { askForToken, type Redeemed, type TokenRequest } from '../redeem.js';
import { saveCredential } from '../save-credential.js';
import { clientKeyUnusable, clientProofMissing, ownClientMissing } from './failures.js';
import { checkTakesKeys, forgetOlderKeys } from './made-keys.js';

/**
 * Logs in as the client itself (RFC 6749 section 4.4): discovery as for a person, then one token request; no browser,
 * no listener, no refresh token. The client proves that it is that by a secret, a private key, or a key that was made here
 * for it (`--generate-key`); where none is given, it is the client of the login that is kept. The proof goes into the
 * login's item of the store, not the path of a file: nobody can change it by changing a file that is read later.
 * @throws Failure of discovery, `client_identifier_needed`, `client_key_unusable`, `capability_missing`,
 * `invalid_client`, `grant_refused`, `token_unusable`, or the store's
 */
export async function clientCredentialsLogin(world: LoginPorts, request: LoginRequest): Promise<LoginRecord> {
  const { signal } = request;
  await checkKey(request.client.given?.key);
  const grant = 'client_credentials';
  const begun = await beginLogin(world, request, grant);
  const { ports, discovery } = begun;
  const { issuer } = discovery.authorizationServer;
  const clients = await authenticationsOf(begun);
  const scopes = begun.scopes.filter(
    (scope) => scope !== 'offline_access' || request.scopes.named?.includes(scope) === true,
  );
  ports.terminal.tell(`Logging in to ${printable(request.server)} as the client ${printable(clients[0].clientId)}`);
  ports.terminal.tell(`at the authorization server ${printable(issuer)}`);
  ports.progress.begin('Asking for a token');
  try {
    const redeemed = await askAs(ports, clients, { discovery, scopes, signal });
    // A refresh token has no place here (RFC 6749 section 4.4.3): asking again does what it would do.
    const token = { ...redeemed.token, refreshToken: undefined };
    const used = { ...redeemed, token };
    const login = await saveCredential(ports, { request, discovery, redeemed: used, way: 'preregistered', grant });
    await forgetOlderKeys(ports, redeemed.client, issuer, signal);
    return login;
  } finally {
    ports.progress.end();
  }
}

type Clients = readonly [ClientAuthentication, ...ClientAuthentication[]];

/** Asks as the first; as the next where that key is not (yet) registered. @throws Failure as `askForToken` */
async function askAs(
  ports: LoginPorts,
  [client, next, ...rest]: Clients,
  asked: Omit<TokenRequest, 'client'>,
): Promise<Redeemed> {
  try {
    const grant = { client: 'itself', scopes: asked.scopes } as const;
    return await askForToken(ports, 'client_credentials', { ...asked, client }, grant);
  } catch (error) {
    if (!isFailure(error, 'invalid_client')) throw error;
    if (next === undefined) throw ownClientRefused(error);
    return await askAs(ports, [next, ...rest], asked);
  }
}

/** @throws Failure `client_key_unusable` */
async function checkKey(key: Secret | undefined): Promise<void> {
  const imported = key && (await importPrivateKey(key.reveal()));
  if (imported?.ok === false) throw clientKeyUnusable(imported.why);
}

/** The newest key first. @throws Failure `capability_missing` when the server takes no keys, `usage` when there is none */
async function authenticationsOf(begun: BegunLogin): Promise<Clients> {
  const { ports, discovery, preregistered: client } = begun;
  if (client === undefined) return [await keptClient(begun)];
  const { clientId, secret, key } = client;
  const { issuer, tokenAuthMethods } = discovery.authorizationServer;
  if (secret !== undefined) return [{ clientId, secret, method: authMethodFor(true, tokenAuthMethods) }];
  const [first, ...older] = key === undefined ? await privateKeysOf(ports, { issuer, clientId }) : [key];
  if (first === undefined) throw clientProofMissing();
  checkTakesKeys(discovery.authorizationServer);
  const authentication = (proof: Secret) => ({ clientId, secret: proof, method: 'private_key_jwt' }) as const;
  return [authentication(first), ...older.map(authentication)];
}

/** The client of the login that is there, at its own issuer alone. @throws Failure `client_identifier_needed`, or the store's */
async function keptClient({ ports, discovery, held }: BegunLogin): Promise<ClientAuthentication> {
  const { server, authorizationServer } = discovery;
  if (held?.grant !== 'client_credentials' || held.issuer !== authorizationServer.issuer)
    throw ownClientMissing(server);
  const { authMethod, clientSecret, binding } = await readForIssuer(ports, held);
  return { clientId: binding.clientId, method: authMethod, secret: clientSecret };
}
