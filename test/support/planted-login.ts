import { credentialKey, encodeCredential } from '../../src/stores/credential-item.js';
import { statePaths } from '../../src/stores/paths.js';
import { createLocks } from '../../src/stores/state/locks.js';
import { realClock } from '../stores/state/real-clock.js';
import type { Home } from './home.js';
import { createCredentialIndex, defaultAccount, type LoginRecord, Secret } from './product.js';

/** What a test may choose of a stored login. */
export interface StoredLogin {
  readonly server: string;
  readonly name?: string;
  readonly account?: string;
  readonly accessToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** A refresh token, and where on loopback it is sent. */
  readonly refresh?: { readonly token: string; readonly endpoint: string };
  /** What its tokens are bound to (DPoP). */
  readonly dpopKey?: Secret;
  /** The account that the item says it is of; another one's for a swapped item. */
  readonly boundTo?: string;
}

/** Stores a login as `postern login` does: `write` has the item, the index of the home the record. */
export async function plantLogin(
  home: Home,
  login: StoredLogin,
  write: (key: string, item: Secret) => Promise<void>,
): Promise<LoginRecord> {
  const { server, accessToken, expiresAt, refresh, account = defaultAccount } = login;
  const issuer = refresh === undefined ? 'https://as.example' : new URL(refresh.endpoint).origin;
  const binding = { server, resource: server, issuer, clientId: 'client-1', account };
  const key = await credentialKey(binding);
  const obtainedAt = Date.now();
  const item = encodeCredential({
    version: 2,
    binding: { ...binding, account: login.boundTo ?? account },
    tokenEndpoint: refresh?.endpoint ?? 'https://as.example/token',
    ...(refresh === undefined ? {} : { refreshToken: new Secret(refresh.token) }),
    authMethod: 'none',
    accessToken: new Secret(accessToken),
    expiresAt,
    obtainedAt,
    scopes: ['notes'],
    ...(login.dpopKey === undefined ? {} : { dpopKey: login.dpopKey }),
    generation: 1,
  });
  await write(key, item);
  const record: LoginRecord = {
    ...binding,
    key,
    ...(login.name === undefined ? {} : { name: login.name }),
    scopes: ['notes'],
    expiresAt,
    obtainedAt,
    refreshable: refresh !== undefined,
    store: 'keychain',
    ...(login.dpopKey === undefined ? {} : { dpop: 'bound' as const }),
    zone: refresh === undefined ? 'public' : 'loopback',
    registration: 'dynamic',
    generation: 1,
  };
  await changeLogins(home, (logins) => [...logins, record]);
  return record;
}

/** The list of logins is empty from now on, as after a log-out. */
export function forgetLogins(home: Home): Promise<void> {
  return changeLogins(home, () => []);
}

async function changeLogins(home: Home, change: (logins: readonly LoginRecord[]) => readonly LoginRecord[]) {
  const directory = statePaths(home.env, process.platform, home.path).state;
  const locks = createLocks({ directory: `${directory}/locks`, clock: realClock });
  await createCredentialIndex({ directory, locks }).update((document) => ({
    ...document,
    logins: change(document.logins),
  }));
}
