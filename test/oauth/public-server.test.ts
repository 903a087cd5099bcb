import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceLogin } from '../../src/login/device/device-login.js';
import { logout } from '../../src/login/logout/logout.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { nearHosts, openPublicScene, type PublicScene, publicHosts } from '../support/flows/public-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf, send } from '../support/http.js';
import { enterOwnNetwork, renameHosts } from '../support/own-network.js';
import type { LoginRecord } from '../support/product.js';

const skip = enterOwnNetwork(publicHosts);

/** A person's machine, on which the small internet's authority is trusted. */
const openPerson = (internet: PublicScene): Promise<Scene> =>
  openScene({}, { caFile: internet.caFile, browse: internet.browse });

const renewed = (scene: Scene, login: LoginRecord) =>
  validToken(scene.ports, { login, minLifeMs: 60_000, rejected: undefined, signal: new AbortController().signal });

/** Puts a near address into one member of the documents. */
type Names = (internet: PublicScene, near: string) => void;

const inMetadata =
  (...members: string[]): Names =>
  ({ issuer }, near) => {
    issuer.metadata = { ...issuer.metadata, ...Object.fromEntries(members.map((name) => [name, `${near}/x`])) };
  };

const namings: Readonly<Record<string, Names>> = {
  'the challenge, its metadata': ({ server }, near) => {
    server.challenge = `Bearer resource_metadata="${near}/.well-known/oauth-protected-resource/mcp"`;
  },
  'the protected resource metadata, its authorization server': ({ server }, near) => {
    server.publish({ authorization_servers: [near] });
  },
  'the authorization server metadata, its authorization endpoint': inMetadata('authorization_endpoint'),
  'the authorization server metadata, its token endpoint': inMetadata('token_endpoint'),
  'the authorization server metadata, its registration endpoint': inMetadata('registration_endpoint'),
};

for (const [naming, name] of Object.entries(namings)) {
  test(`in ${naming} a public server names a near address: refused, and nothing is connected to [A-4][A-6][A-34][A-68]`, {
    skip,
  }, async () => {
    await using internet = await openPublicScene();
    await using person = await openPerson(internet);
    for (const host of nearHosts) {
      const near = `https://${host}:${internet.nearPort}`;
      name(internet, near);
      person.ports.advance(3_600_000); // registrations are counted by the hour
      const failure = await person.loginFails('address_refused', { server: internet.server.url });
      assert.equal(failure.exit, 5, `${host}: ${failure.message}`);
      assert.match(failure.message, /named by a public server/);
      assert.equal(internet.nearConnections(), 0, host);
      assert.deepEqual([internet.issuer.forms, internet.issuer.registrations, person.ports.opened], [[], [], []]);
    }
  });

  test(`in ${naming} a public server names an origin that is connected, since a person named it: refused [A-6]`, {
    skip,
  }, async () => {
    await using internet = await openPublicScene();
    await using person = await openPerson(internet);
    for (const host of nearHosts.filter((one) => one !== 'half.example')) {
      const near = `https://${host}:${internet.nearPort}`;
      await (await send(person.ports.http, near)).bytes();
      const before = internet.nearConnections();
      name(internet, near);
      person.ports.advance(3_600_000); // registrations are counted by the hour
      const failure = await person.loginFails('address_refused', { server: internet.server.url });
      assert.equal(failure.exit, 5, `${host}: ${failure.message}`);
      assert.equal(internet.nearConnections(), before, host);
      assert.deepEqual([internet.issuer.forms, internet.issuer.registrations, person.ports.opened], [[], [], []]);
    }
  });
}

test('a login at public servers goes through, is refreshed and revoked, and touches nothing near', {
  skip,
}, async () => {
  await using internet = await openPublicScene();
  await using person = await openPerson(internet);
  const login = await person.login({ server: internet.server.url });
  assert.equal(login.zone, 'public');
  person.ports.advance(299_000);
  await renewed(person, login);
  assert.deepEqual(
    internet.issuer.forms.map(({ fields }) => fields.get('grant_type')),
    ['authorization_code', 'refresh_token'],
  );
  const ended = await logout(person.ports, { login, force: false, signal: new AbortController().signal });
  assert.deepEqual(ended.revocation, { done: true });
  assert.equal(internet.nearConnections(), 0);
});

test('a login page whose name moves nearer while the client is registered is not opened [A-68][A-7]', {
  skip,
}, async () => {
  await using internet = await openPublicScene();
  await using person = await openPerson(internet);
  const { issuer } = internet;
  const authorization_endpoint = `https://moving.example:${internet.nearPort}/authorize`;
  issuer.metadata = { ...issuer.metadata, authorization_endpoint };
  const register = issuer.onRegistration;
  issuer.onRegistration = (asked) => {
    renameHosts({ ...publicHosts, 'moving.example': ['10.1.2.3'] });
    return register(asked);
  };
  const failure = await person.loginFails('address_refused', { server: internet.server.url });
  renameHosts(publicHosts);
  assert.equal(failure.exit, 5);
  assert.deepEqual([person.ports.opened, issuer.registrations.length], [[], 1]);
});

test('a name that moves nearer while the person is at the login page gets no code [A-6][A-7][A-34]', {
  skip,
}, async () => {
  await using internet = await openPublicScene();
  const port = internet.nearPort;
  for (const address of ['127.0.0.1', '10.1.2.3']) {
    await using person = await openScene(
      {},
      {
        caFile: internet.caFile,
        browse: async (url) => {
          renameHosts({ ...publicHosts, 'moving.example': [address] });
          await internet.browse(url);
        },
      },
    );
    renameHosts(publicHosts);
    internet.issuer.metadata = { ...internet.issuer.metadata, token_endpoint: `https://moving.example:${port}/token` };
    const failure = await person.loginFails('address_refused', { server: internet.server.url });
    assert.equal(failure.exit, 5);
    assert.equal(person.ports.opened.length, 1);
    assert.deepEqual(internet.issuer.forms, []);
  }
  renameHosts(publicHosts);
  assert.equal(internet.nearConnections(), 0);
});

test('a name that has moved nearer since the login gets no refresh token, and none to revoke [A-6][A-7]', {
  skip,
}, async () => {
  await using internet = await openPublicScene();
  const port = internet.nearPort;
  await using person = await openPerson(internet);
  internet.issuer.metadata = {
    ...internet.issuer.metadata,
    token_endpoint: `https://moving.example:${port}/token`,
    revocation_endpoint: `https://moving.example:${port}/revoke`,
  };
  const login = await person.login({ server: internet.server.url });
  // Another process, later: no connection of the login is left.
  await using later = await openScene({}, { caFile: internet.caFile, store: person.ports.store });
  const ports = { ...later.ports, index: person.ports.index, locks: person.ports.locks, clock: person.ports.clock };
  renameHosts({ ...publicHosts, 'moving.example': ['127.0.0.1'] });
  person.ports.advance(600_000);
  const ask = { login, minLifeMs: 60_000, rejected: undefined, signal: new AbortController().signal };
  const failure = await failureOf(validToken(ports, ask), 'address_refused');
  assert.equal(failure.exit, 5);
  const ended = await logout(ports, { login, force: false, signal: new AbortController().signal });
  renameHosts(publicHosts);
  assert.equal(ended.revocation.done, false);
  assert.equal(internet.issuer.forms.length, 1);
  assert.equal(internet.nearConnections(), 0);
});

test('a page to type a code at on a near address is not shown [A-68]', { skip }, async () => {
  await using internet = await openPublicScene();
  await using person = await openPerson(internet);
  for (const host of nearHosts) {
    const { server, issuer, nearPort } = internet;
    issuer.metadata = { ...issuer.metadata, device_authorization_endpoint: `${server.origin}/device` };
    const verification_uri = `https://${host}:${nearPort}/device`;
    const answer = { device_code: 'device-1', user_code: 'ABCD-EFGH', verification_uri, expires_in: 600, interval: 5 };
    server.documents = { ...server.documents, '/device': answer };
    const asked = deviceLogin(person.ports, person.request({ server: server.url }));
    const failure = await failureOf(asked, 'address_refused');
    assert.equal(failure.exit, 5);
    assert.doesNotMatch(person.ports.told.join('\n'), /ABCD-EFGH|:\d+\/device/);
    assert.equal(internet.nearConnections(), 0);
  }
});

test('an endpoint for device codes on a near address is not asked [A-34]', { skip }, async () => {
  await using internet = await openPublicScene();
  await using person = await openPerson(internet);
  for (const host of nearHosts) {
    const { issuer, server, nearPort } = internet;
    issuer.metadata = { ...issuer.metadata, device_authorization_endpoint: `https://${host}:${nearPort}/device` };
    const asked = deviceLogin(person.ports, person.request({ server: server.url }));
    assert.equal((await failureOf(asked, 'address_refused')).exit, 5);
    assert.equal(internet.nearConnections(), 0);
  }
});

test("a person's own host with a private address beside a global one: login, refresh and logout, on the global one [A-6]", {
  skip,
}, async () => {
  await using internet = await openPublicScene('home.example', 'home.example');
  await using person = await openPerson(internet);
  const login = await person.login({ server: internet.server.url });
  assert.equal(login.zone, 'public');
  await using later = await openScene({}, { caFile: internet.caFile, store: person.ports.store });
  const ports = { ...later.ports, index: person.ports.index, locks: person.ports.locks, clock: person.ports.clock };
  person.ports.advance(299_000);
  await validToken(ports, { login, minLifeMs: 60_000, rejected: undefined, signal: new AbortController().signal });
  assert.equal(internet.issuer.forms.length, 2);
  await using last = await openScene({}, { caFile: internet.caFile, store: person.ports.store });
  const { index, locks, clock } = ports;
  const ended = await logout(
    { ...last.ports, index, locks, clock },
    { login, force: false, signal: new AbortController().signal },
  );
  assert.deepEqual(ended.revocation, { done: true });
  assert.equal(internet.nearConnections(), 0);
});
