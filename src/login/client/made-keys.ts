import type { CorePorts } from '../../core/ports.js';
import type { StoreKind } from '../../core/records.js';
import type { Secret } from '../../core/secret.js';
import type { HttpPorts } from '../../http/request.js';
import type { ClientAuthentication } from '../../oauth/client-authentication.js';
import { type ClientKey, type KeyAlgorithm, keyIdOf, privateText } from '../../oauth/client-key.js';
import { discover } from '../../oauth/discover.js';
import { capabilityMissing } from '../../oauth/failures.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import type { StorePorts } from '../../stores/ports.js';
import { clientKeysOf, generateClientKey, readClientKey, removeClientKey } from '../../tokens/client-keys.js';
import { storeForLogin } from '../which-login.js';

export interface KeyRequest {
  /** The server's canonical URL. */
  readonly server: string;
  /** `--authorization-server`. */
  readonly issuer: string | undefined;
  readonly clientId: string;
  readonly algorithm: KeyAlgorithm;
  /** Where the private half is to be; undefined: where the last login's secrets are. */
  readonly store: StoreKind | undefined;
  readonly signal: AbortSignal;
}

/** What the authorization server is to be given for that client. */
export interface KeysToRegister {
  readonly issuer: string;
  readonly clientId: string;
  readonly store: StoreKind;
  /** Public halves alone, as a JWK Set holds them (RFC 7517 section 5), the new one first. */
  readonly keys: readonly ClientKey['publicJwk'][];
}

/**
 * Makes a key for a client that is to log in as itself, for the authorization server of that server alone. Keys made
 * before stay until a login with a newer one has worked, so that both can be registered at once.
 * @throws Failure of discovery, `capability_missing` when the server takes no keys, of the store and the index
 */
export async function makeKeyForLogin(
  ports: Pick<CorePorts, 'limits' | 'terminal' | 'journal' | 'progress' | 'clock'> &
    Pick<HttpPorts, 'http'> &
    Pick<StorePorts, 'store' | 'stores' | 'index'>,
  request: KeyRequest,
): Promise<KeysToRegister> {
  const { server, clientId, algorithm, signal } = request;
  const { logins } = await ports.index.read();
  const known = logins.map(({ issuer }) => issuer);
  const held = logins.find((login) => login.server === server && login.clientId === clientId);
  const { authorizationServer } = await discover(ports, {
    server,
    wanted: request.issuer,
    held,
    known,
    signal,
    grant: 'client_credentials',
  });
  checkTakesKeys(authorizationServer);
  const { issuer } = authorizationServer;
  const store = storeForLogin(ports, request.store, logins, held);
  const earlier = await clientKeysOf(ports, { issuer, clientId });
  const { key } = await generateClientKey(ports, { issuer, clientId, algorithm, store });
  const keys = [key, ...(await Promise.all(earlier.map((record) => readClientKey(ports, record))))];
  return { issuer, clientId, store: store.kind, keys: keys.map(({ publicJwk }) => publicJwk) };
}

/** @throws Failure `capability_missing` when the server says that it takes no keys */
export function checkTakesKeys({ issuer, tokenAuthMethods }: AuthorizationServer): void {
  if (tokenAuthMethods?.includes('private_key_jwt') === false) {
    throw capabilityMissing(issuer, 'client authentication by private_key_jwt');
  }
}

/** The private keys made here for that issuer's client, the newest first. @throws Failure as `readClientKey` */
export async function keysMade(
  ports: Pick<StorePorts, 'index' | 'stores'>,
  owner: { readonly issuer: string; readonly clientId: string },
): Promise<readonly Secret[]> {
  const records = await clientKeysOf(ports, owner);
  return await Promise.all(records.map(async (record) => privateText(await readClientKey(ports, record))));
}

/** A key that has worked makes those from before it needless. @throws Failure of the store and the index */
export async function forgetOlderKeys(
  ports: Pick<StorePorts, 'index' | 'stores' | 'locks' | 'recovery'>,
  { clientId, method, secret }: ClientAuthentication,
  { issuer, signal }: { readonly issuer: string; readonly signal: AbortSignal },
): Promise<void> {
  if (method !== 'private_key_jwt' || secret === undefined) return;
  const records = await clientKeysOf(ports, { issuer, clientId });
  const used = keyIdOf(secret);
  const at = records.findIndex(({ keyId }) => keyId === used);
  for (const record of at === -1 ? [] : records.slice(at + 1)) {
    await removeClientKey(ports, record, signal);
  }
}
