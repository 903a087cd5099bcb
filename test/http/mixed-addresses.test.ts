import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, startConnections } from '../relay/start-connections.js';
import { type Authority, startAuthority } from '../support/certificates.js';
import { failureOf, send, testHttp, textOf } from '../support/http.js';
import { startHttp, type TestServer } from '../support/http-server.js';
import { enterOwnNetwork } from '../support/own-network.js';

const far = '93.184.215.14';
const far6 = '2606:4700::1111';
const near = '10.1.2.3';

/** What stands beside an address of the person's own server, by the class that the name has for it. */
const mixed = {
  'public-loopback.example': [far, '127.0.0.1'],
  'loopback-public.example': ['127.0.0.1', far],
  'public6-loopback.example': [far6, '127.0.0.1'],
  'public-loopback6.example': [far, '::1'],
  'public-private.example': [near, far],
  'public-mapped.example': [far, '::ffff:127.0.0.1'],
  'public-private6.example': ['fd00::7', far],
  'private-loopback.example': ['127.0.0.1', near],
} as const;
const skip = enterOwnNetwork({ ...mixed, 'near.example': ['127.0.0.1'], 'moving.example': [far] });

/** Says at which address it was reached; on every address of the namespace, by one port. */
async function startEverywhere(authority: Authority) {
  const names = [...Object.keys(mixed), 'near.example', 'moving.example'].map((name) => `DNS:${name}`);
  const certificate = await authority.issue(names.join());
  const servers: TestServer[] = [];
  for (const address of [far, far6, near, 'fd00::7', '127.0.0.1', '::1']) {
    const port = servers[0]?.port ?? 0;
    servers.push(await startHttp((_, response) => response.end(address), certificate, address, port));
  }
  return {
    port: servers[0]?.port ?? 0,
    /** Connections to addresses that are not public. */
    near: () => servers.slice(2).reduce((sum, { connections }) => sum + connections.opened, 0),
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}

test("the person's own server with near and far addresses is as far as the farthest, and reached there only [A-6]", {
  skip,
}, async () => {
  await using authority = await startAuthority();
  await using everywhere = await startEverywhere(authority);
  const { port } = everywhere;
  for (const name of Object.keys(mixed)) {
    await using http = testHttp({}, { resolve: undefined, caFile: authority.caFile });
    const response = await send(http, `https://${name}:${port}/`);
    const isPublic = name.startsWith('public') || name.endsWith('public.example');
    assert.equal(response.zone, isPublic ? 'public' : 'private', name);
    const reached = await textOf(response);
    assert.ok(isPublic ? reached === far || reached === far6 : reached === near, `${name}: ${reached}`);
    // What it names is judged so, on the connection that is open, too.
    const namedBy = response.zone;
    for (const target of [`https://near.example:${port}/`, `https://127.0.0.1:${port}/`]) {
      await failureOf(send(http, target, { namedBy }), 'address_refused');
    }
    assert.equal((await send(http, `https://${name}:${port}/own`, { namedBy })).status, 200, name);
  }
  assert.equal(everywhere.near(), 1, 'one name had nothing farther than a private address');
});

test('where its far addresses do not answer, the near ones are not tried [A-6]', { skip }, async () => {
  await using authority = await startAuthority();
  const certificate = await authority.issue(
    Object.keys(mixed)
      .map((name) => `DNS:${name}`)
      .join(),
  );
  await using local = await startHttp((_, response) => response.end('local'), certificate);
  await using local6 = await startHttp((_, response) => response.end('local'), certificate, '::1', local.port);
  await using inside = await startHttp((_, response) => response.end('inside'), certificate, near, local.port);
  for (const name of Object.keys(mixed).filter((one) => one !== 'private-loopback.example')) {
    const url = `https://${name}:${local.port}/`;
    await using http = testHttp({}, { resolve: undefined, caFile: authority.caFile });
    await failureOf(send(http, url), 'network_failed');
    await using stand = startConnections(url, { caFile: authority.caFile });
    assert.equal((await ask(stand)).end, 'failed');
  }
  for (const server of [local, local6, inside]) assert.equal(server.connections.opened, 0);
});

test('the relay connects to the far addresses of such a name only [A-6]', { skip }, async () => {
  await using authority = await startAuthority();
  await using everywhere = await startEverywhere(authority);
  for (const name of Object.keys(mixed)) {
    await using stand = startConnections(`https://${name}:${everywhere.port}`, { caFile: authority.caFile });
    const { body } = await ask(stand);
    const farthest: readonly string[] = name === 'private-loopback.example' ? [near] : [far, far6];
    assert.ok(farthest.includes(body), `${name}: ${body}`);
  }
});

test('a server may not name a name with near and far addresses, though it was connected to as its own [A-6]', {
  skip,
}, async () => {
  await using authority = await startAuthority();
  await using everywhere = await startEverywhere(authority);
  const { port } = everywhere;
  await using http = testHttp({}, { resolve: undefined, caFile: authority.caFile });
  for (const name of Object.keys(mixed)) {
    await failureOf(send(http, `https://${name}:${port}/`, { namedBy: 'public' }), 'address_refused');
  }
  // Nor one that a person named while it was near.
  assert.equal(await textOf(await send(http, `https://near.example:${port}/`)), '127.0.0.1');
  await failureOf(send(http, `https://near.example:${port}/`, { namedBy: 'public' }), 'address_refused');
});

test('a name that has moved nearer while a person’s request was under way is not reached for a server [A-7]', {
  skip,
}, async () => {
  await using authority = await startAuthority();
  await using everywhere = await startEverywhere(authority);
  let asked = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // The first look-up, for a person, says loopback at once; the second, for a server, says a public address, late.
  const resolve = async (): Promise<string[]> => {
    asked += 1;
    if (asked === 1) return ['127.0.0.1'];
    await released;
    return [far];
  };
  await using http = testHttp({}, { resolve, caFile: authority.caFile });
  const url = `https://moving.example:${everywhere.port}/`;
  const [first, second] = [send(http, url), send(http, url, { namedBy: 'public' })];
  assert.equal(await textOf(await first), '127.0.0.1');
  release();
  const response = await second;
  assert.deepEqual([await textOf(response), response.zone], [far, 'public']);
});
