import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { test } from 'node:test';
import { type ChosenRedirectUri, readRedirectUri } from '../../src/core/configuration/redirect-uri.js';
import { isInContainer } from '../../src/login/browser/browser-availability.js';
import { openScene, restarted, type Scene } from '../support/flows/scene.js';
import { freePort } from '../support/free-port.js';

function chosen(text: string): ChosenRedirectUri {
  const read = readRedirectUri(text);
  assert.ok(read.ok, text);
  return read.value;
}

/** The redirect URI that the last authorization request named. */
function sentUri(scene: Scene): string {
  const asked = scene.sandbox.requests.findLast(({ path }) => path.endsWith('/authorize'));
  return asked?.params.find(([name]) => name === 'redirect_uri')?.[1] ?? '';
}

const registrations = (scene: Scene) => scene.sandbox.stats.registrations;

/** The redirect URI that a remedy says to try. */
function triedBy(remedy: string): ChosenRedirectUri {
  const [, uri = ''] = /--redirect-uri (\S+)$/.exec(remedy) ?? [];
  return chosen(uri);
}

const insisting = {
  'registration-localhost-only': /^http:\/\/localhost:\d+\/callback$/,
  'registration-fixed-redirect': /^http:\/\/127\.0\.0\.1:23418\/oauth\/done$/,
};

for (const [fault, taken] of Object.entries(insisting)) {
  test(`[R-2.5d] ${fault}: the failure names the option, which works, and is kept`, async () => {
    await using scene = await openScene({ faults: [fault] });
    const refused = await scene.loginFails('redirect_uri_refused');
    assert.match(refused.remedy, /postern login http:\S+ --redirect-uri /);
    await scene.login({ redirectUri: triedBy(refused.remedy) });
    assert.match(sentUri(scene), taken);
    const before = registrations(scene);
    await scene.login();
    assert.match(sentUri(scene), taken);
    assert.equal(registrations(scene), before);
  });
}

test('a kept registration that was forgotten, and is refused for its address when it is made anew, is not used again', async () => {
  await using scene = await openScene({}, { msAfterWalk: 20_000 });
  await scene.login();
  await using _again = await restarted(scene, {
    faults: ['authorization-localhost-only', 'registration-localhost-only'],
  });
  await scene.loginFails('login_timed_out');
  const refused = await scene.loginFails('redirect_uri_refused');
  await scene.login({ redirectUri: triedBy(refused.remedy) });
});

test('127.0.0.1 alone: the usual login works, one with localhost says which to try', async () => {
  await using scene = await openScene({ faults: ['registration-no-localhost'] });
  await scene.login();
  const refused = await scene.loginFails('redirect_uri_refused', { redirectUri: chosen('http://localhost/callback') });
  assert.match(refused.remedy, /--redirect-uri http:\/\/127\.0\.0\.1\/callback$/);
  await scene.login({ redirectUri: triedBy(refused.remedy) });
  assert.match(sentUri(scene), /^http:\/\/127\.0\.0\.1:/);
});

test('an error page without a callback: the time-out names the option', async () => {
  await using scene = await openScene({ faults: ['authorization-localhost-only'] }, { msAfterWalk: 20_000 });
  const refused = await scene.loginFails('login_timed_out');
  assert.match(refused.remedy, /postern login \S+ --redirect-uri http:\S+$/);
  await scene.login({ redirectUri: triedBy(refused.remedy) });
  assert.match(sentUri(scene), /^http:\/\/localhost:\d+\/callback$/);
});

test('a changed choice registers again; what was chosen is kept for its issuer, and the usual one ends that', async () => {
  await using scene = await openScene();
  await using other = await openScene();
  await scene.login();
  assert.equal(registrations(scene), 1);
  await scene.login({ redirectUri: chosen('http://localhost/callback') });
  assert.equal(registrations(scene), 2);
  const { redirectUris: [kept] = [] } = await scene.ports.index.read();
  assert.deepEqual({ ...kept }, { issuer: scene.sandbox.issuer, redirectUri: 'http://localhost/callback' });
  await other.login();
  assert.match(sentUri(other), /127\.0\.0\.1/);
  await scene.login({ redirectUri: chosen('http://127.0.0.1/callback') });
  assert.match(sentUri(scene), /127\.0\.0\.1/);
  assert.deepEqual((await scene.ports.index.read()).redirectUris, []);
  await scene.login();
  assert.match(sentUri(scene), /127\.0\.0\.1/);
});

test('a login that fails keeps no choice', async () => {
  await using scene = await openScene({ faults: ['token-500'] });
  await scene.loginFails('token_endpoint_failed', { redirectUri: chosen('http://localhost/callback') });
  assert.equal((await scene.ports.index.read()).redirectUris, undefined);
});

test('a port that was named goes before the one that is kept, and that before the configured one', async () => {
  await using scene = await openScene();
  const [kept, named, usual] = [await freePort(), await freePort(), await freePort()];
  await scene.login({ redirectUri: chosen(`http://localhost:${kept}/cb`) });
  assert.equal(sentUri(scene), `http://localhost:${kept}/cb`);
  await scene.login({ usualPort: usual });
  assert.equal(sentUri(scene), `http://localhost:${kept}/cb`);
  await scene.login({ redirectPort: named, usualPort: usual });
  assert.equal(sentUri(scene), `http://localhost:${named}/cb`);
  await scene.login({ redirectUri: chosen('http://localhost/cb'), usualPort: usual });
  assert.equal(sentUri(scene), `http://localhost:${usual}/cb`);
});

test('what a configured client is registered with is used whole', async () => {
  const port = await freePort();
  const redirectUri = `http://localhost:${port}/own/path`;
  const client = { client_id: 'by-hand', redirect_uris: [redirectUri] };
  await using scene = await openScene({ clients: [client], loopbackPorts: 'exact' });
  const configured = { issuer: scene.sandbox.issuer, clientId: 'by-hand', secret: undefined, redirectUri };
  await scene.login({ clients: [configured] });
  assert.equal(sentUri(scene), redirectUri);
});

test('[A-105] localhost wants its port at both addresses: what another program has at one of them is not used', async () => {
  await using scene = await openScene();
  for (const address of ['127.0.0.1', '::1']) {
    await using taken = await listening(address);
    const refused = await scene.loginFails('port_in_use', {
      redirectUri: chosen(`http://localhost:${taken.port}/callback`),
    });
    assert.match(refused.message, new RegExp(`\\b${taken.port}\\b.* ${address}`));
    assert.equal(registrations(scene), 0);
  }
});

test('a port of a redirect address that was chosen, or is kept, is taken: no option that would not go with it is named', async () => {
  await using scene = await openScene();
  const port = await freePort();
  const uri = `http://127.0.0.1:${port}/own/path`;
  await scene.login({ redirectUri: chosen(uri) });
  await using _taken = await listening('127.0.0.1', port);
  for (const person of [{ redirectUri: chosen(uri) }, {}]) {
    const { message, remedy } = await scene.loginFails('port_in_use', person);
    for (const named of [`${port}`, uri]) assert.ok(message.includes(named), message);
    assert.match(remedy, / --redirect-uri http:\/\/127\.0\.0\.1:PORT\/own\/path$/);
    assert.doesNotMatch(remedy, /--redirect-port/);
  }
  assert.match((await scene.loginFails('port_in_use', { redirectPort: port })).remedy, /another --redirect-port/);
});

test('[::1] works, and its address stands in brackets', async () => {
  await using scene = await openScene();
  await scene.login({ redirectUri: chosen('http://[::1]/callback') });
  assert.match(sentUri(scene), /^http:\/\/\[::1\]:\d+\/callback$/);
});

test('where [::1] is refused for localhost, that is what to try', async () => {
  await using scene = await openScene({ faults: ['registration-localhost-only'] });
  const refused = await scene.loginFails('redirect_uri_refused', { redirectUri: chosen('http://[::1]/callback') });
  assert.match(refused.remedy, /--redirect-uri http:\/\/localhost\/callback$/);
});

test('[A-52] what another program writes into the index is no redirect address', async () => {
  await using scene = await openScene();
  const { issuer } = scene.sandbox;
  await scene.ports.index.update((document) => ({
    ...document,
    redirectUris: [{ issuer, redirectUri: 'http://evil.example:3118/callback' }],
  }));
  await scene.login();
  assert.match(sentUri(scene), /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
});

test('[A-108] another address than loopback is listened at in a container alone, and with a port', async () => {
  await using scene = await openScene();
  const redirectUri = chosen(`http://localhost:${await freePort()}/callback`);
  const outside = await scene.loginFails('listen_address_refused', { listenAddress: '0.0.0.0', redirectUri });
  assert.match(outside.message, /0\.0\.0\.0.*container/s);
  const name = await scene.loginFails('listen_address_refused', { listenAddress: 'eth0', redirectUri });
  assert.match(name.message, /eth0/);
  const free = await scene.loginFails('published_port_unknown', { listenAddress: '0.0.0.0' });
  assert.match(free.remedy, /--redirect-uri http:\/\/localhost:PORT\/callback/);
  assert.equal(registrations(scene), 0);
});

test('a container is known by what its engine leaves, and by no variable', () => {
  const machine = (files: Record<string, string>) =>
    isInContainer({ fileExists: (path) => path in files, readText: (path) => files[path] });
  const mount = (at: string, layers: string) => `22 1 0:20 / ${at} rw - overlay overlay rw,lowerdir=${layers}`;
  assert.equal(machine({}), false);
  assert.equal(machine({ '/proc/1/cgroup': '0::/init.scope\n' }), false);
  assert.equal(machine({ '/.dockerenv': '' }), true);
  assert.equal(machine({ '/run/.containerenv': '' }), true);
  assert.equal(machine({ '/proc/1/cgroup': '12:pids:/docker/0123\n' }), true);
  assert.equal(machine({ '/proc/self/mountinfo': mount('/', '/var/lib/docker/overlay2/l/X') }), true);
  // A machine that runs containers sees their roots, too.
  assert.equal(machine({ '/proc/self/mountinfo': mount('/var/lib/docker/x/merged', '/var/lib/docker/l/X') }), false);
});

/** Another program, at a port that only it has. */
async function listening(address: string, wanted?: number): Promise<AsyncDisposable & { readonly port: number }> {
  const [server, port]: [Server, number] = [createServer(), wanted ?? (await freePort())];
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  return { port, [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) };
}
