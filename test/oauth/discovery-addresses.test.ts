import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { listTools } from '../support/flows/calls.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { pathForm, rootForm } from '../support/flows/own-server.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { SandboxOptions } from '../support/product.js';

const metadataAt = (scene: Scene, at: 'server' | 'authorization') =>
  scene.sandbox.requests
    .filter((seen) => seen.at === at && /well-known|resource-metadata/.test(seen.path))
    .map(({ path, status }) => `${status} ${path}`);

/** The steps that the journal holds under a name, as `asked → came`. */
const stepsOf = (scene: Scene, name: string) => scene.ports.journal.steps.filter((step) => step.name === name);

test('[R-4.2a] the challenge’s address comes before the well-known one, though both answer', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.publish({ authorization_servers: ['https://not-this-one.invalid'] });
  const told = { resource: own.server.url, authorization_servers: [own.issuer.issuer] };
  own.server.documents = { ...own.server.documents, '/told': told };
  own.server.challenge = `Bearer resource_metadata="${own.server.origin}/told"`;
  const login = await scene.login({ server: own.server.url });
  assert.equal(login.issuer, own.issuer.issuer);
  assert.deepEqual(own.server.requests, ['POST /mcp', 'GET /told']);
});

test('[R-4.2a] an address in the challenge that fails is not replaced by a well-known one, unless the server itself has nothing there', async () => {
  for (const told of ['broken', 'elsewhere'] as const) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const { server, issuer } = own;
    server.documents = { ...server.documents, '/broken': 'no object' };
    const at = told === 'broken' ? server.origin : issuer.issuer;
    server.challenge = `Bearer resource_metadata="${at}/${told}"`;
    const { exit } = await scene.loginFails('discovery_failed', { server: server.url, legacy: true });
    assert.equal(exit, 5);
    assert.ok(!server.requests.join().includes('.well-known'), server.requests.join());
  }
});

test('[R-4.2b] the challenge names an address of the server where nothing is: the well-known ones are tried, and --legacy counts', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { server, issuer } = own;
  server.challenge = `Bearer resource_metadata="${server.origin}/told", scope="found-here"`;
  const login = await scene.login({ server: server.url });
  assert.equal(login.issuer, issuer.issuer);
  assert.deepEqual(server.requests, ['POST /mcp', 'GET /told', `GET ${pathForm}`]);
  assert.equal(issuer.authorizations[0]?.get('scope'), 'found-here');
  assert.deepEqual(
    stepsOf(scene, 'protected-resource-metadata').map(({ verdict, rule }) => [verdict, rule]),
    [
      ['skipped', 'R-4.2a'],
      ['pass', 'R-4.2a'],
    ],
  );
  server.documents = { [oauth]: { ...issuer.metadata, issuer: server.origin } };
  const { message, remedy } = await scene.loginFails('discovery_failed', { server: server.url, account: 'work' });
  assert.match(message, /told" \(status 404\), .*resource\/mcp" \(status 404\), .*resource" \(status 404\)/);
  assert.match(remedy, /--legacy$/);
  issuer.onAuthorization = (response) => response.set('iss', server.origin);
  const legacy = await scene.login({ server: server.url, account: 'work', legacy: true });
  assert.equal(legacy.issuer, server.origin);
});

test('[R-4.2b][R-4.2c][R-1.8d] without it: the path form first, and where that answers, no other', async () => {
  await using scene = await openScene({ discovery: 'well-known', wellKnown: 'both' });
  await scene.login();
  assert.deepEqual(metadataAt(scene, 'server'), [`200 ${pathForm}`]);
});

test('[R-4.2b][R-4.2c] the path form does not answer: the root form is next', async () => {
  await using scene = await openScene({ discovery: 'well-known', wellKnown: 'root' });
  await scene.login();
  assert.equal(metadataAt(scene, 'server').length, 2);
  assert.match(metadataAt(scene, 'server').join(), new RegExp(`^40[0-9] ${pathForm},200 ${rootForm}$`));
  assert.deepEqual(
    stepsOf(scene, 'protected-resource-metadata').map(({ verdict, rule }) => [verdict, rule]),
    [
      ['skipped', 'R-4.2b'],
      ['pass', 'R-4.2b'],
    ],
  );
});

test('[R-4.2b][A-16] neither form answers: both are named with the reason, in order, and nothing else is tried', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.documents = {};
  const failure = await scene.loginFails('discovery_failed', { server: own.server.url });
  const wellKnown = 'GET /.well-known/';
  // Only to say whether --legacy could help.
  const legacy = [`${wellKnown}oauth-authorization-server`, `${wellKnown}openid-configuration`];
  assert.deepEqual(own.server.requests, ['POST /mcp', `GET ${pathForm}`, `GET ${rootForm}`, ...legacy]);
  const tried = new RegExp(`${pathForm}" \\(status 404\\), .*${rootForm}" \\(status 404\\)`);
  assert.match(failure.message, tried);
  assert.deepEqual(own.issuer.requests, []);
});

const oauth = '/.well-known/oauth-authorization-server';
const openid = '/.well-known/openid-configuration';

type Case = readonly [metadata: SandboxOptions['metadata'], issuerPath: string, asked: readonly string[]];

const cases: readonly Case[] = [
  ['openid', '/tenant1', [`${oauth}/tenant1`, `${openid}/tenant1`]],
  ['openid-appended', '/tenant1', [`${oauth}/tenant1`, `${openid}/tenant1`, `/tenant1${openid}`]],
  ['oauth', '/a/b', [`${oauth}/a/b`]],
  ['both', '', [oauth]],
  ['openid', '', [oauth, openid]],
];

for (const [metadata, issuerPath, asked] of cases) {
  const rule = issuerPath === '' ? 'R-4.3b' : 'R-4.3a';
  const titled = { 'R-4.3a': '[R-4.3a]', 'R-4.3b': '[R-4.3b]' }[rule];
  test(`[Q-6.22]${titled}[R-1.8e] issuer ${issuerPath || 'without a path'}, ${metadata} answering: asked in order until one succeeds`, async () => {
    await using scene = await openScene({ ...(metadata && { metadata }), issuerPath });
    const login = await scene.login();
    assert.equal(login.issuer, scene.sandbox.issuer);
    assert.ok(login.issuer.endsWith(issuerPath));
    const seen = metadataAt(scene, 'authorization').map((line) => line.replace(/^40[0-9] /, ''));
    assert.deepEqual(seen, [...asked.slice(0, -1), `200 ${asked.at(-1)}`]);
    const steps = stepsOf(scene, 'authorization-server-metadata');
    assert.deepEqual(
      steps.map(({ verdict }) => verdict),
      [...asked.slice(0, -1).map(() => 'skipped'), 'pass'],
    );
    assert.ok(steps.every((step) => step.rule === rule));
  });
}

for (const issuerPath of ['/tenant1', '']) {
  const titled = issuerPath === '' ? '[R-4.3b]' : '[R-4.3a]';
  test(`[Q-6.22]${titled}[R-1.8d] issuer ${issuerPath || 'without a path'}, no address answers: all are named in order, nothing is opened`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.server.publish({ authorization_servers: [`${own.server.origin}${issuerPath}`] });
    const failure = await scene.loginFails('discovery_failed', { server: own.server.url });
    const asked = own.server.requests.slice(2);
    const inserted = [`GET ${oauth}${issuerPath}`, `GET ${openid}${issuerPath}`];
    assert.deepEqual(asked, issuerPath === '' ? inserted : [...inserted, `GET ${issuerPath}${openid}`]);
    const places = asked.map((line) => failure.message.indexOf(line.slice(4)));
    assert.ok(
      places.every((place, index) => place > (places[index - 1] ?? 0)),
      failure.message,
    );
    assert.deepEqual(scene.ports.opened, []);
  });
}

test('a server that lets initialize through and asks for a login at the next request: its challenge is found there', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const methods: unknown[] = [];
  own.server.whenAnonymous = async (request, response) => {
    const { method } = JSON.parse(await text(request)) as { readonly method: string };
    methods.push([method, request.headers['mcp-session-id']]);
    const headers =
      method === 'initialize'
        ? { 'content-type': 'application/json', 'mcp-session-id': 'session-1' }
        : { 'www-authenticate': 'Bearer scope="found-here"' };
    response.writeHead(method === 'initialize' ? 200 : 401, headers).end('{}');
  };
  await scene.login({ server: own.server.url });
  assert.deepEqual(methods, [
    ['initialize', undefined],
    ['tools/list', 'session-1'],
  ]);
  assert.equal(own.issuer.authorizations[0]?.get('scope'), 'found-here');
});

test('[Q-1.6] a server that refuses initialize and speaks the newer era alone: its challenge is found in that', async () => {
  for (const letsDiscover of [false, true]) {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const methods: unknown[] = [];
    own.server.whenAnonymous = async (request, response) => {
      const { method, params } = JSON.parse(await text(request)) as Record<string, Record<string, unknown>>;
      methods.push([method, request.headers['mcp-protocol-version'], request.headers['mcp-method']]);
      const meta = params?.['_meta'] as Record<string, unknown> | undefined;
      const isOpen = letsDiscover && String(method) === 'server/discover';
      if (meta?.['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28') response.writeHead(400).end('{}');
      else response.writeHead(isOpen ? 200 : 401, { 'www-authenticate': 'Bearer scope="found-here"' }).end('{}');
    };
    await scene.login({ server: own.server.url });
    const newer = (method: string) => [method, '2026-07-28', method];
    const asked = [['initialize', undefined, undefined], newer('server/discover')];
    assert.deepEqual(methods, letsDiscover ? [...asked, newer('tools/list')] : asked);
    assert.equal(own.issuer.authorizations[0]?.get('scope'), 'found-here');
  }
});

test('a server that wants no login and publishes nothing: said so, nothing is opened', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.documents = {};
  own.server.whenAnonymous = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  const failure = await scene.loginFails('login_not_offered', { server: own.server.url });
  assert.equal(failure.exit, 2);
  assert.deepEqual(scene.ports.opened, []);
});

test('a wrong address: the nearest one with metadata of its own is named in the whole corrected line, and nothing is opened', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { origin, url } = own.server;
  const given = [{ text: '--device', yieldsTo: [] }];
  const advised = async (server: string) => {
    const { exit, remedy } = await scene.loginFails('wrong_address', { server, given });
    assert.equal(exit, 2);
    return remedy;
  };
  for (const wrong of [`${origin}/mpc`, `${url}/`, origin, `${url}?tenant=1`.replace('mcp', 'mpc')]) {
    const right = wrong.includes('?') ? `'${url}?tenant=1'` : url;
    assert.equal(await advised(wrong), `Did you mean: postern login ${right} --device`, wrong);
  }
  own.server.documents = { [rootForm]: { resource: `${origin}/v1/tools` } };
  assert.equal(await advised(`${origin}/mpc`), `Did you mean: postern login ${origin}/v1/tools --device`);
  own.server.documents = { [`${rootForm}/api/mcp`]: { resource: `${origin}/api/mcp` } };
  assert.equal(await advised(`${origin}/api`), `Did you mean: postern login ${origin}/api/mcp --device`);
  assert.deepEqual(scene.ports.opened, []);
});

test('a redirect, a page and another name of this machine lead to the address that has metadata, and to no other origin', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { origin, url } = own.server;
  own.server.endpoints = ['/mcp', '/old', '/'];
  own.server.documents = { [`${rootForm}/new`]: { resource: `${origin}/new` } };
  own.server.whenAnonymous = (_request, response) => void response.writeHead(308, { location: '/new' }).end();
  const moved = await scene.loginFails('wrong_address', { server: `${origin}/old` });
  assert.equal(moved.remedy, `Did you mean: postern login ${origin}/new`);
  own.server.publish({});
  own.server.whenAnonymous = (_request, response) => void response.writeHead(200).end('<h1>Welcome</h1>');
  const page = await scene.loginFails('wrong_address', { server: origin });
  assert.equal(page.remedy, `Did you mean: postern login ${url}`);
  own.server.whenAnonymous = (_request, response) => void response.writeHead(421).end();
  const misdirected = await scene.loginFails('wrong_address', { server: url.replace('127.0.0.1', 'localhost') });
  assert.match(misdirected.message, /does not serve this host name \(421\)/);
  assert.equal(misdirected.remedy, `Did you mean: postern login ${url}`);
  own.server.documents = { [rootForm]: { resource: 'https://elsewhere.example/mcp' } };
  await scene.loginFails('resource_mismatch', { server: `${origin}/mpc` });
  own.server.documents = {};
  const none = await scene.loginFails('wrong_address', { server: `${origin}/mpc` });
  assert.equal(none.remedy, 'Check the address: most servers are at a path like /mcp.');
  own.server.endpoints = [];
  const atMcp = await scene.loginFails('wrong_address', { server: url });
  assert.equal(atMcp.remedy, 'Check the address, or ask the server’s operator for it.');
});

test('a redirect: the target is in the sentence, a line where the origin is the same, its proxy blamed where the port falls back', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { origin, url } = own.server;
  own.server.documents = {};
  const away = /^If that is a page to sign in, no MCP server is at this address/;
  const inner = /^The server’s proxy hides the port: its operator has to set the public address/;
  const line = (to: string) => new RegExp(`^Did you mean: postern login ${origin}${to}$`);
  const cases = [
    [307, '/mcp/', 'wrong_address', line('/mcp/')],
    [308, 'v2', 'wrong_address', line('/v2')],
    [301, `${origin}/v2`, 'wrong_address', line('/v2')],
    [302, '/mcp/', 'wrong_address', line('/mcp/')],
    [301, 'http://127.0.0.1:8080/mcp', 'redirect_refused', inner],
    [302, '/login?next=/mcp', 'redirect_refused', away],
    [302, 'https://sso.example/login', 'redirect_refused', away],
    [307, undefined, 'redirect_refused', away],
  ] as const;
  for (const [status, location, code, remedy] of cases) {
    own.server.whenAnonymous = (_request, response) => void response.writeHead(status, location && { location }).end();
    const target =
      location === undefined ? 'nowhere' : JSON.stringify(new URL(location, url).href.replace(/\?.*/, '?…'));
    const said = `"${url}" redirects (${status}) to ${target}, which is not followed: a token goes to the address of its login only.`;
    const atCall = await failureOf(listTools(scene, { server: url }), code);
    for (const failure of [await scene.loginFails(code, { server: url }), atCall]) {
      assert.equal(failure.message, said);
      assert.match(failure.remedy, remedy);
    }
  }
  assert.deepEqual(scene.ports.opened, []);
});
