import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bridgeTokens } from '../../src/bridge/bridge.js';
import { createTransport } from '../../src/call/transport.js';
import { sandboxApiKey } from '../../src/sandbox/faults/server.js';
import type { SeenRequest } from '../../src/sandbox/log.js';
import { encodeCredential } from '../../src/stores/credential-item.js';
import { Authorizer } from '../../src/tokens/authorizer.js';
import { readCredential } from '../../src/tokens/read-credential.js';
import { refreshedToken } from '../../src/tokens/valid-token.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';
import { openMachine } from '../support/machine.js';
import { Secret, type SecretHeader } from '../support/product.js';

const { signal } = new AbortController();
const key = (value = sandboxApiKey): readonly SecretHeader[] => [
  { name: 'X-Api-Key', value: new Secret(value) },
  { name: 'X-Tenant', value: new Secret('acme-corporation') },
];
const gated = ['server-wants-header'];
const withKey = ({ headers }: SeenRequest) => headers['x-api-key'] !== undefined || headers['x-tenant'] !== undefined;
/** No request to the authorization server has had any of it. */
const keptFromOthers = ({ sandbox }: Scene) =>
  assert.deepEqual(
    sandbox.requests.filter((one) => one.at === 'authorization' && withKey(one)).map(({ path }) => path),
    [],
  );
const namesOf = async (scene: Scene) => (await scene.ports.index.read()).logins.map(({ headerNames }) => headerNames);
const limits = { totalMs: 20_000, headersMs: 20_000, maxBytes: null };

test('a server behind a gateway: the failure names the option, with it the login works, and the authorization server hears nothing', async () => {
  await using none = await openScene({ faults: gated });
  const failure = await none.loginFails('discovery_failed');
  assert.match(failure.remedy, /postern login \S+ --header-file FILE/);

  await using scene = await openScene({ faults: gated }, { headers: key() });
  const login = await scene.login();
  keptFromOthers(scene);
  assert.deepEqual(login.headerNames, ['X-Api-Key', 'X-Tenant']);
  assert.ok(scene.ports.told.includes('sending the server X-Api-Key, X-Tenant with each request'));
  const item = (await scene.ports.store.read(login.key))?.reveal() ?? '';
  assert.ok(item.includes(sandboxApiKey));
  assert.doesNotMatch(JSON.stringify(await scene.ports.index.read()), new RegExp(sandboxApiKey));
  // Metadata is for everybody: with the key only where it was refused without.
  const document = scene.sandbox.requests.filter(({ path }) => path.includes('oauth-protected-resource'));
  assert.deepEqual(
    document.map((one) => [withKey(one), one.status]),
    [
      [false, 403],
      [true, 200],
    ],
  );
});

test('metadata that is given without the headers is not asked for with them', async () => {
  await using scene = await openScene({}, { headers: key() });
  await scene.login();
  const documents = scene.sandbox.requests.filter(({ path }) => path.includes('.well-known'));
  assert.ok(documents.length > 1);
  assert.ok(!documents.some(withKey));
});

test('metadata at another origin, to which the challenge points, gets none of them, whether it answers 401 or 403', async () => {
  for (const status of [401, 403]) {
    const [ofServer, ofOther]: (string | undefined)[][] = [[], []];
    await using other = await startHttp(({ headers }, response) => {
      ofOther?.push(String(headers['x-api-key']));
      response.writeHead(status, { 'www-authenticate': 'Bearer' }).end();
    });
    await using server = await startHttp(({ url, headers }, response) => {
      if (url === '/mcp') ofServer?.push(String(headers['x-api-key']));
      const challenge = `Bearer resource_metadata="${other.origin}/document"`;
      response.writeHead(url === '/mcp' ? 401 : 404, { 'www-authenticate': challenge }).end();
    });
    await using machine = await openMachine();
    const file = join(machine.home.path, 'headers');
    await writeFile(file, `X-Api-Key: ${sandboxApiKey}\n`, { mode: 0o600 });
    const { code, stderr } = await machine.run(['login', `${server.origin}/mcp`, '--header-file', file, '--json']);
    assert.notEqual(code, 0, stderr);
    assert.ok(ofServer?.includes(sandboxApiKey));
    assert.ok(ofOther !== undefined && ofOther.length > 0 && ofOther.every((key) => key === 'undefined'), stderr);
  }
});

test('the next login, a refresh and more scope keep the headers; another account has none; --no-headers drops them', async () => {
  await using scene = await openScene({ faults: gated }, { headers: key() });
  const login = await scene.login();
  const later = { ...scene.ports, givenHeaders: async () => undefined };
  const { headers } = await refreshedToken(later, { login, signal });
  assert.deepEqual(
    headers?.map(({ name }) => name),
    ['X-Api-Key', 'X-Tenant'],
  );
  const { login: logIn } = await import('../../src/login/log-in.js');
  const again = await logIn(later, scene.request({ scopes: ['mcp:basic', 'notes:read'] }));
  assert.equal((await readCredential(later, again)).headers?.[0]?.value.reveal(), sandboxApiKey);
  await failureOf(logIn(later, scene.request({ account: 'other' })), 'discovery_failed');
  scene.sandbox.setFaults([]);
  const bare = await logIn(later, { ...scene.request(), dropsHeaders: true });
  assert.equal(bare.headerNames, undefined);
  assert.equal((await readCredential(later, bare)).headers, undefined);
  assert.deepEqual(await namesOf(scene), [undefined]);
});

test('new headers take the place of all that were kept', async () => {
  await using scene = await openScene({ faults: gated }, { headers: key() });
  const login = await scene.login();
  const { login: logIn } = await import('../../src/login/log-in.js');
  const one: readonly SecretHeader[] = [{ name: 'x-api-key', value: new Secret(sandboxApiKey) }];
  const other = await logIn({ ...scene.ports, givenHeaders: async () => one }, scene.request());
  assert.deepEqual(other.headerNames, ['x-api-key']);
  assert.equal(other.key, login.key);
});

test('headers whose item is gone are said to be lost, and the login goes on without', async () => {
  await using scene = await openScene({}, { headers: key() });
  const login = await scene.login();
  await scene.ports.store.remove(login.key);
  const { login: logIn } = await import('../../src/login/log-in.js');
  const again = await logIn({ ...scene.ports, givenHeaders: async () => undefined }, scene.request());
  assert.equal(again.headerNames, undefined);
  assert.ok(
    scene.ports.told.some((line) => line.startsWith('Note: the headers of the earlier login are lost (X-Api-Key')),
  );
});

test('requests bring the kept headers, a run’s own instead of them, and what was typed for this very one first', async () => {
  await using scene = await openScene({ faults: gated }, { headers: key() });
  const login = await scene.login();
  const url = scene.sandbox.serverUrl;
  const sent = async (given: readonly SecretHeader[] | undefined, headers: readonly (readonly [string, string])[]) => {
    const ports = { ...scene.ports, givenHeaders: async () => given };
    const transport = createTransport(ports, { login, relogin: undefined, signal });
    await using _response = await transport.send({ method: 'GET', url, headers, limits, signal });
    const { headers: seen } = scene.sandbox.requests.at(-1) ?? assert.fail('nothing was sent');
    return [seen['x-api-key'], seen['x-tenant']];
  };
  assert.deepEqual(await sent(undefined, []), [sandboxApiKey, 'acme-corporation']);
  assert.deepEqual(await sent([{ name: 'X-Api-Key', value: new Secret('of-this-run') }], []), [
    'of-this-run',
    undefined,
  ]);
  assert.deepEqual(await sent(undefined, [['x-api-key', 'typed']]), ['typed', 'acme-corporation']);
});

test('a redirect of the server is not followed with the headers, and an address that is not the server’s gets none', async () => {
  await using scene = await openScene({ faults: ['server-redirects-elsewhere'] }, { headers: key() });
  const login = await scene.login();
  const transport = createTransport(scene.ports, { login, relogin: undefined, signal });
  await using response = await transport.send({ method: 'GET', url: scene.sandbox.serverUrl, limits, signal });
  assert.equal(response.status, 307);
  keptFromOthers(scene);
  const elsewhere = `${new URL(scene.sandbox.issuer).origin}/mcp`;
  await failureOf(transport.send({ method: 'GET', url: elsewhere, limits, signal }), 'token_not_for_url');
  keptFromOthers(scene);
});

test('without a login the headers of a run go to the server that was named, and to nobody else', async () => {
  await using scene = await openScene({}, { headers: key('of-this-run') });
  const { serverUrl: server } = scene.sandbox;
  const options = {
    wanted: { server, account: undefined },
    server,
    login: undefined,
    ask: undefined,
    waitMs: 0,
    signal,
  };
  const authorizer = new Authorizer(bridgeTokens(scene.ports, options));
  const target = (url: string) => ({ url, method: 'POST', operation: () => 'x', repeatable: () => true });
  const { own, token } = await authorizer.authorize(target(server));
  assert.equal(token, undefined);
  assert.deepEqual(
    own.map(({ name, value }) => `${name}=${value.reveal()}`),
    ['X-Api-Key=of-this-run', 'X-Tenant=acme-corporation'],
  );
  await failureOf(
    Promise.resolve().then(() => authorizer.authorize(target('https://evil.example/mcp'))),
    'token_not_for_url',
  );
});

test('an item whose headers another program has changed into ones that are never sent is no credential', async () => {
  await using scene = await openScene({}, { headers: key() });
  const login = await scene.login();
  const credential = await readCredential(scene.ports, login);
  const changed = [{ name: 'Host', value: new Secret('evil.example') }];
  await scene.ports.store.write(login.key, encodeCredential({ ...credential, headers: changed }));
  await failureOf(readCredential(scene.ports, login), 'credential_corrupt');
});
