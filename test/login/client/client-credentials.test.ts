import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/core/text/json.js';
import { clientCredentialsLogin } from '../../../src/login/client/client-credentials.js';
import { validToken } from '../../../src/tokens/valid-token.js';
import { callTool } from '../../support/flows/calls.js';
import { openScene, type Scene, type WantedLogin } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { type LoginRecord, type PreregisteredClient, type SandboxClient, Secret } from '../../support/product.js';

const pair = (kind: 'ec' | 'rsa') =>
  kind === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = pair('ec');
const rsa = pair('rsa');
const jwks = ({ publicKey }: typeof ec) => ({ keys: [publicKey.export({ format: 'jwk' }) as JsonObject] });

const clients: readonly SandboxClient[] = [
  { client_id: 'machine', client_secret: 'm:/ &%', redirect_uris: [] },
  { client_id: 'narrow', client_secret: 'n', redirect_uris: [], scope: 'mcp:basic' },
  { client_id: 'ec', jwks: jwks(ec), redirect_uris: [] },
  { client_id: 'rsa', jwks: jwks(rsa), redirect_uris: [], ...({ token_endpoint_auth_signing_alg: 'RS256' } as object) },
];
const given = { issuer: undefined, redirectUri: undefined } as const;
const withSecret = (clientId: string, secret: string): PreregisteredClient => ({
  ...given,
  clientId,
  secret: new Secret(secret),
});
const withKeyText = (clientId: string, key: string): PreregisteredClient => ({
  ...given,
  clientId,
  secret: undefined,
  key: new Secret(key),
});
const withKey = (clientId: string, { privateKey }: typeof ec): PreregisteredClient =>
  withKeyText(clientId, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
const machine = withSecret('machine', 'm:/ &%');
const { signal } = new AbortController();

const loginAs = (scene: Scene, client: PreregisteredClient | undefined, change: Partial<WantedLogin> = {}) =>
  clientCredentialsLogin(
    scene.ports,
    scene.request({ client: client && { ...client, issuer: scene.sandbox.issuer }, ...change }),
  );
const tokenOf = (scene: Scene, login: LoginRecord) =>
  validToken(scene.ports, { login, minLifeMs: 60_000, rejected: undefined, signal });
const tokenRequests = (scene: Scene) =>
  scene.sandbox.requests.filter(({ path }) => path.endsWith('/token')).map(({ params }) => new Map(params));
const claims = (assertion: string | undefined) =>
  JSON.parse(Buffer.from(assertion?.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;

test('[R-9.2][R-2.5a] a client logs in as itself: no browser, no registration, resource and scope sent', async () => {
  await using scene = await openScene({ clients });
  const login = await loginAs(scene, machine);
  assert.deepEqual([login.grant, login.refreshable, login.registration], ['client_credentials', true, 'preregistered']);
  await callTool(scene, login, 'echo', { text: 'hello' });
  const [sent, ...more] = tokenRequests(scene);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [sent?.get('grant_type'), sent?.get('resource'), sent?.get('scope')],
    ['client_credentials', scene.sandbox.serverUrl, 'mcp:basic'],
  );
  assert.deepEqual(scene.ports.opened, []);
  assert.equal(scene.sandbox.stats.registrations + scene.sandbox.stats.authorizationRequests, 0);
});

test('[R-2.3c][A-62] private_key_jwt with ES256 and RS256: aud is the issuer alone, jti fresh, life short', async () => {
  await using scene = await openScene({ clients });
  for (const client of [withKey('ec', ec), withKey('rsa', rsa)]) {
    const login = await loginAs(scene, client);
    scene.ports.advance(10 * 60_000);
    await tokenOf(scene, login);
    const [first, second] = tokenRequests(scene)
      .slice(-2)
      .map((form) => claims(form.get('client_assertion')));
    assert.equal(first?.['aud'], scene.sandbox.issuer);
    assert.deepEqual([first['iss'], first['sub']], [client.clientId, client.clientId]);
    assert.ok(Number(first['exp']) - Number(first['iat']) <= 60);
    assert.notEqual(first['jti'], second?.['jti']);
    scene.ports.advance(-10 * 60_000);
  }
});

test('[R-9.2][R-2.5a] it renews itself by asking again, resource and scope with it, once for many', async () => {
  await using scene = await openScene({ clients });
  const login = await loginAs(scene, machine);
  const before = await tokenOf(scene, login);
  scene.ports.advance(10 * 60_000);
  const tokens = await Promise.all([1, 2, 3].map(() => tokenOf(scene, login)));
  const [first] = tokens;
  assert.notEqual(first?.accessToken.reveal(), before.accessToken.reveal());
  assert.ok(tokens.every(({ accessToken }) => accessToken.reveal() === first?.accessToken.reveal()));
  const [, renewal, ...more] = tokenRequests(scene);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [renewal?.get('grant_type'), renewal?.get('resource'), renewal?.get('scope')],
    ['client_credentials', scene.sandbox.serverUrl, 'mcp:basic'],
  );
});

test('a wrong secret is exit 4; when renewal is refused, the login is dead and the remedy names the route', async () => {
  await using scene = await openScene({ clients });
  const failure = await failureOf(loginAs(scene, withSecret('machine', 'wrong')), 'invalid_client');
  assert.equal(failure.exit, 4);
  assert.deepEqual((await scene.ports.index.read()).logins, []);
  const login = await loginAs(scene, machine);
  scene.sandbox.setFaults(['token-error-200']);
  scene.ports.advance(10 * 60_000);
  const expired = await failureOf(tokenOf(scene, login), 'login_expired');
  assert.match(expired.remedy, /--client-credentials$/);
  assert.equal((await scene.ports.index.read()).logins[0]?.dead, true);
  scene.sandbox.setFaults([]);
  const again = await loginAs(scene, undefined);
  assert.deepEqual([again.clientId, again.dead], ['machine', undefined]);
});

test('without a client, and without a login to take it from: exit 2, and what to pass', async () => {
  await using scene = await openScene({ clients });
  const failure = await failureOf(loginAs(scene, undefined), 'client_identifier_needed');
  assert.equal(failure.exit, 2);
  assert.match(failure.remedy, /--client-key-file/);
  const person = await scene.login();
  assert.equal(person.grant, undefined);
  await failureOf(loginAs(scene, undefined), 'client_identifier_needed');
});
