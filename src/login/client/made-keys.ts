import { type StoreKind, storeInWords } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import type { ClientAuthentication } from '../../oauth/client-authentication.js';
import { type ClientKey, type KeyAlgorithm, keyIdOf } from '../../oauth/client-key.js';
import { capabilityMissing } from '../../oauth/failures.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import { clientKeysOf, generateClientKey, readClientKey, removeClientKey } from '../../tokens/client-keys.js';
import { beginLogin } from '../begin-login.js';
import type { LoginPorts, LoginRequest } from '../ports.js';

interface KeysToRegister {
  readonly issuer: string;
  readonly clientId: string;
  readonly store: StoreKind;
  /** Public halves alone, as a JWK Set holds them (RFC 7517 section 5), the new one first. */
  readonly keys: readonly ClientKey['publicJwk'][];
}

/**
 * Makes a key for a client that is to log in as itself, at the authorization server of this login's server alone. Keys made
 * before stay until a login with a newer one has worked, so that both can be registered at once.
 * @throws Failure of discovery, `capability_missing` when the server takes no keys, of the store and the index
 */
export async function makeKeyForLogin(
  world: LoginPorts,
  request: LoginRequest,
  { clientId, algorithm }: { readonly clientId: string; readonly algorithm: KeyAlgorithm },
): Promise<KeysToRegister> {
  const { ports, discovery } = await beginLogin(world, request, 'client_credentials');
  const { authorizationServer } = discovery;
  checkTakesKeys(authorizationServer);
  const { issuer } = authorizationServer;
  const { store } = ports;
  const earlier = await clientKeysOf(ports, { issuer, clientId });
  const { key } = await generateClientKey(ports, { issuer, clientId, algorithm, store });
  const keys = [key, ...(await Promise.all(earlier.map((record) => readClientKey(ports, record))))];
  return { issuer, clientId, store: store.kind, keys: keys.map(({ publicJwk }) => publicJwk) };
}

/** @throws Failure `capability_missing` when the server says that it takes no keys */
export function checkTakesKeys({ issuer, tokenAuthMethods }: AuthorizationServer): void {
  if (tokenAuthMethods?.includes('private_key_jwt') !== false) return;
  throw capabilityMissing(issuer, 'client authentication by private_key_jwt');
}

/** A key that has worked makes those from before it needless. @throws Failure of the store and the index */
export async function forgetOlderKeys(
  ports: Pick<LoginPorts, 'index' | 'stores' | 'locks' | 'recovery'>,
  { clientId, method, secret }: ClientAuthentication,
  issuer: string,
  signal: AbortSignal,
): Promise<void> {
  if (method !== 'private_key_jwt' || secret === undefined) return;
  const records = await clientKeysOf(ports, { issuer, clientId });
  const used = keyIdOf(secret);
  const at = records.findIndex(({ keyId }) => keyId === used);
  for (const record of at === -1 ? [] : records.slice(at + 1)) await removeClientKey(ports, record, signal);
}

/** What a person does with the public half of a new key. `command`: the login that is to use it. */
export function newKeyLines(made: KeysToRegister, command: string): readonly string[] {
  const { issuer, clientId, keys, store } = made;
  const others = `The first key is the new one; the other ${keys.length - 1} can go once a login has worked with it.`;
  return [
    `Made a key for the client ${clientId}; its private half is in ${storeInWords(store)}.`,
    `Register what was printed (a JWK Set) for it at ${issuer}, with the method private_key_jwt.`,
    ...(keys.length > 1 ? [others] : []),
    `Then run: ${command}`,
  ].map((line) => printable(line, 1000));
}
