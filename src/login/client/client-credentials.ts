import { isFailure } from '../../core/failure.js';
import type { LoginRecord } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import { authMethodFor, type ClientAuthentication } from '../../oauth/client-authentication.js';
import { importPrivateKey } from '../../oauth/client-key.js';
import { capabilityMissing, ownClientRefused } from '../../oauth/failures.js';
import { assertionUse } from '../../oauth/workload/assertion.js';
import type { KeptAssertion } from '../../stores/assertions.js';
import { privateKeysOf } from '../../tokens/client-keys.js';
import { sameLogin } from '../../tokens/find-login.js';
import { readCredential } from '../../tokens/read-credential.js';
import { ownRequest } from '../../tokens/send-refresh.js';
import { beginLogin, headerLines } from '../begin-login.js';
import type { BegunLogin, LoginPorts, LoginRequest, PreregisteredClient } from '../ports.js';
import { askForToken, type Redeemed } from '../redeem.js';
import { saveCredential } from '../save-credential.js';
import { clientKeyUnusable, clientProofMissing, ownClientMissing } from './failures.js';
import { checkTakesKeys, forgetOlderKeys } from './made-keys.js';
import { loginRefused } from './way-out.js';

/**
 * Logs in as the client itself (RFC 6749 section 4.4): discovery as for a person, then one token request; no browser,
 * no listener, no refresh token. The client proves that it is that by a secret, a private key, a key that was made here
 * for it (`--generate-key`), or a token that a platform signs for it (RFC 7523), which is read anew for each request; where none is given, it is the client of the login that is kept. The proof goes into the
 * login's item of the store, not the path of a file: nobody can change it by changing a file that is read later.
 * @throws Failure of discovery, `client_identifier_needed`, `client_key_unusable`, `capability_missing`,
 * `invalid_client`, `grant_refused`, `token_unusable`, or the store's
 */
export async function clientCredentialsLogin(world: LoginPorts, request: LoginRequest): Promise<LoginRecord> {
  const { signal } = request;
  const { given } = request.client;
  const imported = given?.key && (await importPrivateKey(given.key.reveal()));
  if (imported?.ok === false) throw clientKeyUnusable(imported.why);
  const grant = 'client_credentials';
  if (given?.assertion !== undefined) world.assertions.prepare(given.assertion.source);
  const made = given ?? sameLogin((await world.index.read()).logins, request);
  const begun = await beginLogin(world, request, made?.assertion === undefined ? grant : 'assertion');
  const { ports, discovery, headers } = begun;
  const { issuer } = discovery.authorizationServer;
  const { client, assertion } = await authenticationOf(begun);
  ports.terminal.tell(`Logging in to ${printable(request.server)} as the client ${printable(client.clientId)}`);
  ports.terminal.tell(`at the authorization server ${printable(issuer)}`);
  headerLines(headers).forEach(ports.terminal.tell);
  ports.progress.begin('Asking for a token');
  try {
    const redeemed = await askAs(begun, client, assertion);
    const login = await saveCredential(begun, { redeemed, grant, assertion, way: 'preregistered' });
    await forgetOlderKeys(ports, redeemed.client, issuer, signal);
    return login;
  } catch (error) {
    throw loginRefused(begun, error, { isOwn: true });
  } finally {
    ports.progress.end();
  }
}

interface Authentication {
  readonly client: ClientAuthentication;
  readonly assertion: KeptAssertion | undefined;
}

/** @throws Failure as `askForToken` */
async function askAs(
  begun: BegunLogin,
  client: ClientAuthentication,
  assertion: KeptAssertion | undefined,
): Promise<Redeemed> {
  const { scopes, request, ports } = begun;
  const { signal } = request;
  const { explain, ...own } = await ownRequest(ports, client, { scopes, assertion, signal });
  const name = 'assertion' in own.grant ? 'jwt_bearer' : 'client_credentials';
  try {
    const redeemed = await askForToken(name, { ...begun, client: own.client, signal }, own.grant);
    const { assertion: _, ...kept } = redeemed.client; // it is read anew
    return { ...redeemed, client: kept };
  } catch (error) {
    if (assertion !== undefined && isFailure(error)) throw explain(error);
    throw isFailure(error, 'invalid_client') ? ownClientRefused(error) : error;
  }
}

/** @throws Failure `capability_missing` when the server takes no keys, or no tokens of platforms, `usage` when there is none */
async function authenticationOf(begun: BegunLogin): Promise<Authentication> {
  const { discovery, preregistered: client } = begun;
  if (client === undefined) return await keptClient(begun);
  const { clientId, assertion: given } = client;
  if (given === undefined) return { client: await provenClient(begun, client), assertion: undefined };
  const { issuer } = discovery.authorizationServer;
  const use = assertionUse(discovery.authorizationServer, given.use);
  if (use === undefined) {
    const remedy =
      'If its operator says that it takes one of them all the same, add --assertion-as grant or --assertion-as client.';
    throw capabilityMissing(issuer, 'the jwt-bearer grant or private_key_jwt (RFC 7523)', remedy);
  }
  const method = use === 'client' ? 'private_key_jwt' : 'none';
  const assertion = { source: given.source, audience: given.audience ?? issuer, use };
  return { client: { clientId, method, secret: undefined }, assertion };
}

/** With its secret, or its keys, the newest first: a newer one may not be registered yet. @throws as `authenticationOf` */
async function provenClient(
  { ports, discovery }: BegunLogin,
  client: PreregisteredClient,
): Promise<ClientAuthentication> {
  const { clientId, secret, key } = client;
  const { issuer, tokenAuthMethods } = discovery.authorizationServer;
  if (secret !== undefined) return { clientId, secret, method: authMethodFor(true, tokenAuthMethods) };
  const [newest, ...otherKeys] = key === undefined ? await privateKeysOf(ports, { issuer, clientId }) : [key];
  if (newest === undefined) throw clientProofMissing();
  checkTakesKeys(discovery.authorizationServer);
  return { clientId, secret: newest, otherKeys, method: 'private_key_jwt' };
}

/** The client of the login that is there, at its own issuer alone. @throws Failure `client_identifier_needed`, or the store's */
async function keptClient({ ports, discovery, held }: BegunLogin): Promise<Authentication> {
  const { server, authorizationServer } = discovery;
  if (held?.grant !== 'client_credentials' || held.issuer !== authorizationServer.issuer)
    throw ownClientMissing(server);
  const { authMethod, clientSecret, binding, assertion } = await readCredential(ports, held);
  return { client: { clientId: binding.clientId, method: authMethod, secret: clientSecret }, assertion };
}
