import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type Scene } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { Secret } from '../../support/product.js';

const redirect = { redirect_uris: ['http://127.0.0.1/callback'] } as const;
const closed = { registration: false, metadataDocuments: false } as const;
const clientSecret = 'canary-of-a-client-secret-0123456789';

const given = (clientId: string, secret?: string, issuer?: string) => ({
  clientId,
  secret: secret === undefined ? undefined : new Secret(secret),
  issuer,
  redirectUri: undefined,
});

const redemptions = (scene: Scene) => scene.sandbox.requests.filter(({ path }) => path.endsWith('/token'));

test('[R-1.8a] a public client that was registered by hand logs in without a secret', async () => {
  const clients = [{ client_id: 'public-client', ...redirect }];
  await using scene = await openScene({ ...closed, clients });
  const login = await scene.login({ client: given('public-client') });
  assert.deepEqual([login.clientId, login.registration], ['public-client', 'preregistered']);
  const [request] = redemptions(scene);
  const fields = new Map(request?.params);
  assert.equal(fields.get('client_id'), 'public-client');
  assert.equal(fields.has('client_secret'), false);
  assert.equal(request?.headers['authorization'], undefined);
});

/** Identifier and secret of a Basic header, form-decoded (RFC 6749 section 2.3.1). */
const basicOf = (header: unknown): readonly string[] => {
  const [, encoded = ''] = /^Basic (.+)$/.exec(String(header)) ?? [];
  const parts = Buffer.from(encoded, 'base64').toString().split(':');
  return parts.map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
};

test('[R-1.8a] a confidential client logs in with client_secret_basic, its identifier and secret form-encoded', async () => {
  const client = { client_id: 'a secret:client', client_secret: clientSecret, ...redirect };
  await using scene = await openScene({ ...closed, clients: [client] });
  await scene.login({ client: given('a secret:client', clientSecret, scene.sandbox.issuer) });
  const [request] = redemptions(scene);
  assert.deepEqual(basicOf(request?.headers['authorization']), ['a secret:client', clientSecret]);
  assert.equal(new Map(request?.params).has('client_secret'), false);
});

test('[R-1.8a] a confidential client logs in with client_secret_post where that alone is listed', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, token_endpoint_auth_methods_supported: ['client_secret_post'] };
  await scene.login({ server: own.server.url, client: given('poster', clientSecret, own.issuer.issuer) });
  const [form] = own.issuer.forms;
  assert.equal(form?.authorization, undefined);
  assert.deepEqual([form?.fields.get('client_id'), form?.fields.get('client_secret')], ['poster', clientSecret]);
});

test('[R-1.8a] where Basic is refused and client_secret_post is listed, that is tried once, with the same code', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = {
    ...own.issuer.metadata,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  };
  const { onToken } = own.issuer;
  own.issuer.onToken = (form) =>
    form.authorization === undefined ? onToken(form) : [401, { error: 'invalid_client' }];
  await scene.login({ server: own.server.url, client: given('poster', clientSecret, own.issuer.issuer) });
  const [first, second, ...more] = own.issuer.forms;
  assert.deepEqual(basicOf(first?.authorization), ['poster', clientSecret]);
  assert.equal(second?.fields.get('client_secret'), clientSecret);
  assert.equal(second?.fields.get('code'), first?.fields.get('code'));
  assert.deepEqual(more, []);
  await scene.login({ server: own.server.url });
  assert.equal(own.issuer.forms.length, 3, 'the next login knows which one works');
});

test('[R-4.6b][R-5.8b] a client given once is kept, its secret in the store alone, and used by the next login', async () => {
  const client = { client_id: 'kept-client', client_secret: clientSecret, ...redirect };
  await using scene = await openScene({ ...closed, clients: [client] });
  const first = await scene.login({ client: given('kept-client', clientSecret, scene.sandbox.issuer) });
  const { registrations } = await scene.ports.index.read();
  assert.deepEqual(
    registrations.map(({ clientId, issuer, way, hasSecret }) => [clientId, issuer, way, hasSecret]),
    [['kept-client', scene.sandbox.issuer, 'preregistered', true]],
  );
  const index = await readFile(join(scene.folder, 'state', 'logins.json'), 'utf8');
  assert.ok(index.includes('kept-client'), 'the right file is looked at');
  assert.ok(!index.includes(clientSecret));
  const item = await scene.ports.store.read(registrations[0]?.key ?? '');
  assert.ok(item?.reveal().includes(clientSecret));
  assert.ok(!JSON.stringify(scene.ports.journal.steps).includes(clientSecret));
  const second = await scene.login();
  assert.deepEqual([second.clientId, second.generation], ['kept-client', first.generation + 1]);
  assert.ok(redemptions(scene).every(({ headers }) => headers['authorization'] !== undefined));
});

test('[A-58][A-200] an item that holds the secret of another issuer, or of another client, is not used: no byte of it is sent', async () => {
  const client = { client_id: 'kept-client', client_secret: clientSecret, ...redirect };
  await using scene = await openScene({ ...closed, clients: [client] });
  const { issuer } = await scene.login({ client: given('kept-client', clientSecret, scene.sandbox.issuer) });
  const [registration] = (await scene.ports.index.read()).registrations;
  assert.ok(registration);
  const planted = 'canary-of-somebody-elses-secret-98765';
  const kept = JSON.parse((await scene.ports.store.read(registration.key))?.reveal() ?? '');
  for (const binding of [
    { issuer: 'https://other.example', clientId: 'kept-client' },
    { issuer, clientId: 'another-client' },
  ]) {
    const other = new Secret(JSON.stringify({ ...kept, ...binding, clientSecret: planted }));
    await scene.ports.store.write(registration.key, other);
    const before = redemptions(scene).length;
    const failure = await failureOf(scene.login(), 'client_secret_lost');
    assert.equal(redemptions(scene).length, before, failure.message);
  }
  const sent = redemptions(scene).map(({ headers, params }) => [headers['authorization'] ?? '', params]);
  const basic = Buffer.from(`kept-client:${planted}`).toString('base64');
  for (const text of [planted, basic]) assert.ok(!JSON.stringify(sent).includes(text));
});

test('[R-4.6b] a configured client is used at its issuer, with the redirect URI it is registered with', async () => {
  const clients = [{ client_id: 'fixed', redirect_uris: ['http://127.0.0.1/callback'] }];
  await using scene = await openScene({ ...closed, clients });
  const login = await scene.login({
    clients: [
      { ...given('of-another'), issuer: 'https://another.invalid' },
      { ...given('fixed'), issuer: scene.sandbox.issuer },
    ],
  });
  assert.equal(login.clientId, 'fixed');
});

test('[Q-6.7][Q-6.8][A-58] a client bound to one issuer is never used at another: neither identifier nor secret is sent there', async () => {
  await using scene = await openScene();
  const client = { ...given('bound-client', clientSecret), issuer: 'https://issuer-x.invalid' };
  const failure = await scene.loginFails('issuer_mismatch', { client });
  assert.equal(failure.exit, 5);
  assert.deepEqual(scene.ports.opened, []);
  const { registration } = await scene.login({ clients: [client] });
  assert.equal(registration, 'dynamic', 'a configured client of another issuer does not count');
  const unnamed = { ...client, issuer: undefined };
  await scene.loginFails('client_secret_unbound', { client: unnamed });
  const everything = JSON.stringify(scene.sandbox.requests);
  assert.ok(!everything.includes('bound-client') && !everything.includes(clientSecret));
});

test('[Q-6.7][A-58] a client kept for one issuer is not offered to the next server’s', async () => {
  const client = { client_id: 'kept-client', client_secret: clientSecret, ...redirect };
  await using scene = await openScene({ ...closed, clients: [client] });
  await using own = await openOwnScene();
  await scene.login({ client: given('kept-client', clientSecret, scene.sandbox.issuer) });
  const login = await scene.login({ server: own.server.url });
  assert.deepEqual([login.issuer, login.registration], [own.issuer.issuer, 'dynamic']);
  const seen = JSON.stringify([own.issuer.requests, own.issuer.registrations, own.issuer.authorizations.map(String)]);
  assert.ok(!seen.includes('kept-client'));
});

test('[Q-6.7][A-57] two issuers give out the same client identifier: two credentials, none readable as the other', async () => {
  await using scene = await openScene();
  await using one = await openOwnScene();
  await using other = await openOwnScene();
  for (const { issuer } of [one, other]) {
    issuer.onRegistration = ({ redirect_uris }) => [201, { client_id: 'the-same', redirect_uris }];
  }
  const first = await scene.login({ server: one.server.url });
  const firstItem = (await scene.ports.store.read(first.key))?.reveal();
  const second = await scene.login({ server: other.server.url });
  assert.equal(first.clientId, second.clientId);
  assert.notEqual(first.key, second.key);
  assert.equal((await scene.ports.store.read(first.key))?.reveal(), firstItem);
  const { registrations } = await scene.ports.index.read();
  assert.deepEqual(registrations.map(({ issuer }) => issuer).sort(), [one.issuer.issuer, other.issuer.issuer].sort());
  assert.equal(new Set(registrations.map(({ key }) => key)).size, 2);
});
