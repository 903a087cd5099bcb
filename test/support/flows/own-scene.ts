import { credentialKey, encodeCredential } from '../../../src/stores/credential-item.js';
import { defaultAccount, type LoginRecord, Secret } from '../product.js';
import { type OwnIssuer, startOwnIssuer, type TokenForm } from './own-issuer.js';
import { type OwnServer, startOwnServer } from './own-server.js';
import type { Scene } from './scene.js';

/** A protected server and its authorization server, both of the test's own. */
export interface OwnScene extends AsyncDisposable {
  readonly server: OwnServer;
  readonly issuer: OwnIssuer;
}

/** Starts both, honest until the test changes them. */
export async function openOwnScene(): Promise<OwnScene> {
  const [server, issuer] = await Promise.all([startOwnServer(), startOwnIssuer()]);
  server.publish({ authorization_servers: [issuer.issuer] });
  return {
    server,
    issuer,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

/**
 * A login at such a server as it is kept, with the tokens that its issuer gives: for tests of what comes after a login. No
 * page is opened and no client registered, which takes most of a login's time.
 */
export async function keepLogin(
  { ports }: Scene,
  { server, issuer }: OwnScene,
  account = defaultAccount,
): Promise<LoginRecord> {
  const form = { fields: new Map([['grant_type', 'authorization_code']]), authorization: undefined, dpop: undefined };
  (issuer.forms as TokenForm[]).push(form);
  const [, given] = issuer.onToken(form);
  const { access_token, refresh_token, expires_in } = given as Readonly<Record<string, string | number | undefined>>;
  const binding = { server: server.url, resource: server.url, issuer: issuer.issuer, clientId: 'client-1', account };
  const { revocation_endpoint: revocation } = issuer.metadata;
  const key = await credentialKey(binding);
  const obtainedAt = ports.clock.now();
  const expiresAt = expires_in === undefined ? null : obtainedAt + Number(expires_in) * 1000;
  const both = { expiresAt, obtainedAt, scopes: [], generation: 1 };
  const item = encodeCredential({
    version: 2,
    binding,
    tokenEndpoint: String(issuer.metadata['token_endpoint']),
    ...(revocation !== undefined && { revocationEndpoint: String(revocation) }),
    authMethod: 'none',
    accessToken: new Secret(String(access_token)),
    ...(refresh_token !== undefined && { refreshToken: new Secret(String(refresh_token)) }),
    ...both,
  });
  await ports.store.write(key, item);
  const refreshable = refresh_token !== undefined;
  const record = {
    ...binding,
    ...both,
    key,
    refreshable,
    store: 'memory',
    zone: 'loopback',
    registration: 'dynamic',
  } as const;
  const { logins } = await ports.index.update((document) => ({ ...document, logins: [...document.logins, record] }));
  return logins.find((login) => login.key === key) ?? record;
}
