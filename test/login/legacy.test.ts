import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenOptions } from '../../src/login/given/given-options.js';
import { callTool, freshToken } from '../support/flows/calls.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { pathForm, protectCalls } from '../support/flows/own-server.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { defaultAccount } from '../support/product.js';

/** A client that a person registered. */
const byHand = { clientId: 'by-hand', secret: undefined, issuer: undefined, redirectUri: undefined };

for (const metadata of ['both', 'none'] as const) {
  test(`a server of 2025-03-26, ${metadata === 'none' ? 'with default endpoints alone' : 'with metadata of its own'}: by choice alone, remembered, refreshed and called`, async () => {
    await using scene = await openScene({ discovery: 'none', metadata });
    const refused = await scene.loginFails('discovery_failed');
    assert.equal(refused.exit, 5);
    // The option is named where the origin shows that it could help, and nowhere else.
    assert.equal(/--legacy/.test(refused.remedy), metadata === 'both', refused.remedy);
    assert.deepEqual([scene.ports.opened, scene.sandbox.stats.registrations], [[], 0]);
    const login = await scene.login({ legacy: true });
    const { origin } = new URL(scene.sandbox.serverUrl);
    assert.deepEqual([login.issuer, login.resource, login.legacy], [origin, scene.sandbox.serverUrl, true]);
    const warning = /^this server is logged in to as those of 2025-03-26 .* may be good for everything at that origin$/;
    assert.match(login.warnings?.[0] ?? '', warning);
    await callTool(scene, login, 'whoami', {});
    scene.ports.advance(600_000);
    await freshToken(scene, login);
    assert.equal(scene.sandbox.stats.refreshes, 1);
    const again = await scene.login();
    assert.equal(again.legacy, true, 'the choice is kept with the login');
    assert.equal(scene.ports.told.filter((line) => line.includes('2025-03-26')).length, 2, 'and told each time');
  });
}

test('--legacy counts only where there is no metadata: a server that names its authorization server is taken at its word', async () => {
  await using scene = await openScene();
  const login = await scene.login({ legacy: true });
  assert.deepEqual([login.issuer, login.legacy], [scene.sandbox.issuer, undefined]);
});

test('--legacy lifts no guard: metadata of another issuer, without PKCE, or that cannot be read ends the login', async () => {
  for (const [document, code] of [
    [{ issuer: 'https://as.example' }, 'issuer_mismatch'],
    [{ code_challenge_methods_supported: undefined }, 'pkce_missing'],
    ['<h1>Welcome</h1>', 'discovery_failed'],
  ] as const) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const honest = { ...own.issuer.metadata, issuer: own.server.origin };
    const served = typeof document === 'string' ? document : { ...honest, ...document };
    own.server.documents = { '/.well-known/oauth-authorization-server': served };
    await scene.loginFails(code, { server: own.server.url, legacy: true });
    assert.deepEqual(scene.ports.opened, []);
  }
});

/** The tool call that the server refuses for want of a login. */
const callWithoutLogin = (scene: Scene, server: string) => failureOf(callTool(scene, { server }, 't'), 'login_needed');

test('[R-4.2a] a server that asks for a login at a tool call alone: what its 401 named is what logins begin with', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { server, issuer } = own;
  const { origin, url } = server;
  protectCalls(server);
  server.challenge = `Bearer resource_metadata="${origin}/told", scope="found-here"`;
  await scene.loginFails('login_not_offered', { server: url });
  server.documents = { '/told': { resource: url, authorization_servers: [issuer.issuer] } };
  const { remedy } = await callWithoutLogin(scene, url);
  assert.equal(remedy, `Run: postern login ${url}`);
  for (const account of [defaultAccount, 'work']) {
    const login = await scene.login({ server: url, account });
    assert.deepEqual([login.issuer, login.resource, login.legacy], [issuer.issuer, url, undefined]);
    assert.equal(issuer.authorizations.at(-1)?.get('scope'), 'found-here');
  }
  // It is the server's word of before, and as much as that: another origin's document has to be for it, too.
  server.documents = { '/told': { resource: 'https://elsewhere.example/mcp', authorization_servers: [issuer.issuer] } };
  await scene.loginFails('resource_mismatch', { server: url });
  assert.equal(scene.ports.opened.length, 2);
});

test('what is kept of challenges: what leads to other addresses than the well-known ones, of this very server, and little of it', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { server } = own;
  const kept = async () => (await scene.ports.index.read()).challenges ?? [];
  const { origin, url } = server;
  for (const challenge of [
    'Bearer',
    `Bearer resource_metadata="${origin}${pathForm}"`,
    `Bearer resource_metadata="${origin}/told", realm="${'x'.repeat(2048)}"`,
  ]) {
    protectCalls(server);
    server.challenge = challenge;
    await callWithoutLogin(scene, url);
    assert.deepEqual(await kept(), [], challenge);
  }
  server.challenge = `Bearer resource_metadata="${origin}/told"`;
  await callWithoutLogin(scene, url);
  const [one] = await kept();
  assert.ok(one);
  const challenges = Array.from({ length: 64 }, (_, at) => ({ ...one, server: `${url}?tenant=${at}` }));
  await scene.ports.index.update((document) => ({ ...document, challenges }));
  await callWithoutLogin(scene, `${url}?tenant=new`);
  const all = (await kept()).map(({ server: of }) => of);
  assert.deepEqual([all.length, all.includes(`${url}?tenant=new`)], [64, true]);
});

test('no metadata anywhere: who names the authorization server, and a client or --legacy, has decided; it is kept, refreshed and told each time', async () => {
  for (const decision of [{ legacy: true }, { client: byHand }]) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const { server, issuer } = own;
    server.documents = {};
    server.whenAuthorized = (_request, response) => void response.writeHead(202).end();
    const wish = { server: server.url, issuer: issuer.issuer, issuerIsTyped: true };
    const alone = await scene.loginFails('discovery_failed', {
      ...wish,
      given: givenOptions({ authorizationServer: issuer.issuer }, {}),
    });
    const line = `postern login ${server.url} --authorization-server ${issuer.issuer} --legacy`;
    assert.ok(
      alone.remedy.endsWith(`If you trust ${JSON.stringify(issuer.issuer)} with that, run: ${line}`),
      alone.remedy,
    );
    assert.deepEqual(issuer.requests, []);
    const login = await scene.login({ ...wish, ...decision });
    assert.deepEqual([login.issuer, login.resource, login.legacy], [issuer.issuer, server.url, true]);
    assert.equal(issuer.authorizations.at(-1)?.get('resource'), server.url);
    assert.match(
      login.warnings?.join() ?? '',
      /^this server names no authorization server: .* is taken for it by your choice/,
    );
    scene.ports.advance(600_000);
    await freshToken(scene, login);
    const told = scene.ports.told.length;
    const again = await scene.login({ server: server.url });
    assert.deepEqual([again.issuer, again.legacy], [issuer.issuer, true]);
    assert.match(scene.ports.told.slice(told).join(), /by your choice/);
    // As soon as the server names one, only a person can change to it.
    server.publish({ authorization_servers: ['https://other.example'] });
    await scene.loginFails('authorization_server_changed', { server: server.url });
    await scene.loginFails('authorization_server_unknown', { ...wish, ...decision });
  }
});

test('--authorization-server goes on where the server asks for no login; its metadata are held to every rule', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { server, issuer } = own;
  protectCalls(server);
  const wish = { server: server.url, issuer: issuer.issuer, issuerIsTyped: true };
  for (const untyped of [{ issuer: undefined }, { issuerIsTyped: false }, { issuerIsTyped: false, client: byHand }]) {
    await scene.loginFails('login_not_offered', { ...wish, ...untyped });
  }
  const login = await scene.login(wish);
  assert.deepEqual([login.issuer, login.resource], [issuer.issuer, server.url]);
  assert.equal((await scene.login({ server: server.url })).issuer, issuer.issuer, 'and so does its next login');
  issuer.metadata = { ...issuer.metadata, issuer: 'https://other.example' };
  await scene.loginFails('issuer_mismatch', { ...wish, account: 'work' });
  for (const named of ['not an address', 'file:///etc/passwd', `${issuer.issuer}?x`]) {
    await scene.loginFails('authorization_server_unknown', { ...wish, issuer: named, account: 'work' });
  }
  server.endpoints = [];
  await scene.loginFails('wrong_address', { ...wish, account: 'work' });
});
