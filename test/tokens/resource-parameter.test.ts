import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalResource } from '../../src/core/resource.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { pathForm, rootForm } from '../support/flows/own-server.js';
import { openScene, type Scene } from '../support/flows/scene.js';

/** The server's URL as the command line makes it from what was typed. */
function canonical(typed: string): string {
  const judged = canonicalResource(typed);
  assert.ok(judged.ok, typed);
  return judged.value;
}

/** The `resource` parameters that were sent, in order: authorization requests, then token requests. */
const resourcesSent = ({ issuer }: OwnScene) => [
  ...issuer.authorizations.flatMap((query) => query.getAll('resource')),
  ...issuer.forms.map(({ fields }) => fields.get('resource')),
];

async function refreshed(scene: Scene, server: string): Promise<void> {
  const login = (await scene.ports.index.read()).logins.find((record) => record.server === server);
  assert.ok(login !== undefined);
  scene.ports.advance(299_000);
  const { signal } = new AbortController();
  await validToken(scene.ports, { login, minLifeMs: 60_000, rejected: undefined, signal });
}

test('[R-4.8a] scheme and host typed in upper case, and dot segments: the login is for the canonical server', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { port } = new URL(own.server.url);
  const typed = `HTTP://LocalHost:${port}/./x/../mcp`;
  assert.equal(canonical(typed), `http://localhost:${port}/mcp`);
  const shouted = own.server.url.replace('http', 'HTTP');
  const login = await scene.login({ server: canonical(shouted) });
  assert.deepEqual([login.server, login.resource], [own.server.url, own.server.url]);
});

for (const [how, spell] of [
  ['as it is asked for', (url: string) => url],
  ['with its scheme in upper case', (url: string) => url.replace('http', 'HTTP')],
  ['as an ancestor with a slash at its end', (url: string) => url.replace(/\/mcp$/, '/')],
] as const) {
  test(`[R-4.8a][R-2.5a] resource spelled ${how} is sent so, at the authorization request, the redemption and the refresh`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const resource = spell(own.server.url);
    own.server.publish({ authorization_servers: [own.issuer.issuer], resource });
    const login = await scene.login({ server: own.server.url });
    assert.equal(login.resource, resource);
    await refreshed(scene, own.server.url);
    assert.deepEqual(resourcesSent(own), [resource, resource, resource]);
  });
}

test('[R-4.8a] no slash is added to a resource without a path, which URL parsers would do', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  assert.equal(canonical(`${own.server.origin}/`), own.server.origin);
  own.server.documents = { [rootForm]: { resource: own.server.origin, authorization_servers: [own.issuer.issuer] } };
  own.server.challenge = `Bearer resource_metadata="${own.server.origin}${rootForm}"`;
  const login = await scene.login({ server: canonical(own.server.url) });
  assert.equal(login.resource, own.server.origin);
  assert.deepEqual(resourcesSent(own), Array(2).fill(own.server.origin));
});

test('[R-4.8b] the path is kept: the most specific address is the resource, not the origin', async () => {
  await using scene = await openScene();
  await scene.login();
  const sent = scene.sandbox.requests
    .filter(({ path }) => path === '/authorize' || path === '/token')
    .map(({ params }) => params.filter(([name]) => name === 'resource'));
  const { serverUrl } = scene.sandbox;
  assert.ok(new URL(serverUrl).pathname.length > 1);
  assert.deepEqual(sent, [[['resource', serverUrl]], [['resource', serverUrl]]]);
});

test('[R-4.8c] an address without scheme or with a fragment is refused, and the reason is said', () => {
  for (const [typed, why] of [
    ['example.com/mcp', /no scheme/],
    ['//example.com/mcp', /no scheme/],
    ['https://example.com/mcp#part', /fragment/],
    ['https://example.com/mcp#', /fragment/],
  ] as const) {
    const judged = canonicalResource(typed);
    assert.ok(!judged.ok && why.test(judged.problem), typed);
  }
});

test('[R-4.8d][R-2.5a] resource is sent to an authorization server that says nothing about it and ignores it', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  assert.ok(!JSON.stringify(own.issuer.metadata).includes('resource'));
  await scene.login({ server: own.server.url });
  assert.deepEqual(resourcesSent(own), [own.server.url, own.server.url]);
});

test('[A-19] a resource that differs by default port or case of host is taken; by a slash after a path it is not', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { port } = new URL(own.server.url);
  own.server.documents = {
    [pathForm]: { resource: `HTTP://LOCALHOST:${port}/mcp`, authorization_servers: [own.issuer.issuer] },
  };
  await scene.login({ server: canonical(`http://localhost:${port}/mcp`) });
  assert.deepEqual(resourcesSent(own), Array(2).fill(`HTTP://LOCALHOST:${port}/mcp`));
  own.server.publish({ authorization_servers: [own.issuer.issuer], resource: `${own.server.url}/` });
  const failure = await scene.loginFails('resource_mismatch', { server: own.server.url });
  assert.ok(failure.message.includes(own.server.url) && failure.message.includes(`${own.server.url}/`));
});
