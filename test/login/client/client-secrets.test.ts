import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientCredentialsLogin } from '../../../src/login/client/client-credentials.js';
import { registrationKey } from '../../../src/stores/credential-item.js';
import { forgetRegistration, keepRegistration, storedSecret } from '../../../src/tokens/registrations.js';
import type { FlowOptions } from '../../support/flow-ports.js';
import { type OwnScene, openOwnScene } from '../../support/flows/own-scene.js';
import { startOwnServer } from '../../support/flows/own-server.js';
import { openScene, type Scene } from '../../support/flows/scene.js';
import { failureOf } from '../../support/http.js';
import { Secret } from '../../support/product.js';

const canary = 'canary-of-a-client-secret-0123456789';

/** A client and its secret, where nothing says which issuer they are for. */
const unnamed = (secret = canary) => ({
  ...{ clientId: 'of-the-environment', secret: new Secret(secret) },
  ...{ issuer: undefined, redirectUri: undefined },
});

const everythingSeen = (own: OwnScene): string =>
  JSON.stringify([
    own.issuer.requests,
    own.issuer.registrations,
    own.issuer.authorizations.map(String),
    own.issuer.forms.map(({ fields, authorization }) => [[...fields], authorization]),
  ]);

const logInAsClient = (scene: Scene, own: OwnScene, client = unnamed(), issuer?: string) =>
  clientCredentialsLogin(scene.ports, scene.request({ server: own.server.url, issuer, client }));

test('[A-58] a client secret goes to no authorization server that a server names by itself: a script is refused', async () => {
  await using own = await openOwnScene();
  await using scene = await openScene();
  const wanted = { server: own.server.url, client: unnamed() };
  for (const failure of [
    await scene.loginFails('client_secret_unbound', wanted),
    await failureOf(logInAsClient(scene, own), 'client_secret_unbound'),
  ]) {
    assert.equal(failure.exit, 2);
    assert.match(failure.remedy, /^If it is for that one, run: postern login .+ --authorization-server \S+$/);
    assert.ok(failure.remedy.endsWith(own.issuer.issuer), failure.remedy);
    assert.ok(!JSON.stringify([failure.message, failure.remedy]).includes(canary));
  }
  assert.deepEqual(scene.ports.opened, []);
  assert.doesNotMatch(everythingSeen(own), /canary|of-the-environment/);
});

test('[A-58] at a terminal the person is asked, and the issuer is named: anything but yes sends nothing', async () => {
  const asked = async (flow: Partial<FlowOptions>) => {
    await using own = await openOwnScene();
    await using scene = await openScene({}, { interactive: true, ...flow });
    const outcome = await scene.login({ server: own.server.url, client: unnamed() }).catch((error: unknown) => error);
    const question = scene.ports.told.find((line) => line.includes('Send the secret of')) ?? '';
    assert.ok(question.includes(`of-the-environment to ${own.issuer.issuer}?`), question);
    return { outcome, seen: everythingSeen(own) };
  };
  for (const word of ['n', '', 'maybe']) {
    const { outcome, seen } = await asked({ typed: [word] });
    await failureOf(Promise.reject(outcome), 'client_secret_unbound');
    assert.doesNotMatch(seen, /canary|of-the-environment/);
  }
  const { outcome, seen } = await asked({ typed: ['y'] });
  assert.ok(!(outcome instanceof Error), String(outcome));
  assert.match(seen, /of-the-environment/);
});

test('[A-58] a secret goes where it was given for, or was used with; another secret of that client is asked about again', async () => {
  await using own = await openOwnScene();
  await using scene = await openScene();
  const server = own.server.url;
  const named = { ...unnamed(), issuer: own.issuer.issuer };
  await scene.login({ server, client: named });
  await scene.login({ server, client: unnamed() });
  await scene.loginFails('client_secret_unbound', { server, client: unnamed('canary-of-another-secret') });
  // The same secret, but of a client that was never used there.
  await scene.loginFails('client_secret_unbound', { server, client: { ...unnamed(), clientId: 'another-client' } });
  await using hostile = await openOwnScene();
  await scene.loginFails('client_secret_unbound', { server: hostile.server.url, client: unnamed() });
  assert.doesNotMatch(everythingSeen(hostile), /canary|of-the-environment/);
});

test('[A-58] a machine’s secret that was used with its login before goes on being used, for other servers of that issuer, too', async () => {
  await using own = await openOwnScene();
  await using scene = await openScene();
  own.issuer.metadata = { ...own.issuer.metadata, grant_types_supported: ['client_credentials'] };
  const client = { ...unnamed(), issuer: own.issuer.issuer };
  const request = scene.request({ server: own.server.url, issuer: own.issuer.issuer, client });
  await clientCredentialsLogin(scene.ports, request);
  assert.equal((await logInAsClient(scene, own)).generation, 2);
  await using next = await startOwnServer();
  next.publish({ authorization_servers: [own.issuer.issuer] });
  await logInAsClient(scene, { ...own, server: next });
  const refused = (...other: Parameters<typeof logInAsClient>) =>
    failureOf(logInAsClient(...other), 'client_secret_unbound');
  await refused(scene, own, unnamed('canary-of-another-secret'));
  await refused(scene, own, { ...unnamed(), clientId: 'another-client' });
  await using hostile = await openOwnScene();
  hostile.issuer.metadata = { ...hostile.issuer.metadata, grant_types_supported: ['client_credentials'] };
  own.server.publish({ authorization_servers: [own.issuer.issuer, hostile.issuer.issuer] });
  await refused(scene, own, unnamed(), hostile.issuer.issuer);
  assert.doesNotMatch(everythingSeen(hostile), /canary|of-the-environment/);
});

test('forgetting one registration leaves the issuer’s others, and their secrets', async () => {
  const redirect_uris = ['http://127.0.0.1/callback'];
  await using scene = await openScene({
    registration: false,
    metadataDocuments: false,
    clients: [{ client_id: 'kept-client', client_secret: canary, redirect_uris }],
  });
  const client = { ...unnamed(), clientId: 'kept-client', issuer: scene.sandbox.issuer };
  const { issuer } = await scene.login({ client });
  const one = { issuer, authMethod: 'client_secret_basic', redirectUri: 'http://127.0.0.1/callback' } as const;
  const dynamic = { ...one, clientId: 'dynamic-client', way: 'dynamic', scopes: [], secretExpiresAt: null } as const;
  await keepRegistration(scene.ports, { ...dynamic, secret: new Secret('the-secret-of-the-other') });
  await forgetRegistration(scene.ports, dynamic);
  const { registrations, orphans } = await scene.ports.index.read();
  assert.deepEqual(
    registrations.map(({ clientId }) => clientId),
    ['kept-client'],
  );
  assert.equal(orphans, undefined);
  const [kept] = registrations;
  assert.ok(kept);
  assert.equal((await storedSecret(scene.ports, kept)).kind, 'secret');
  assert.equal(await scene.ports.store.read(await registrationKey(issuer, 'dynamic-client')), undefined);
  // The other way round: the issuer is another, the client identifier the same.
  await forgetRegistration(scene.ports, { issuer: 'https://other.example', clientId: 'kept-client' });
  assert.equal((await scene.ports.index.read()).registrations.length, 1);
});
