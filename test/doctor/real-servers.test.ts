import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RegistrationRecord } from '../../src/core/records.js';
import { plainLook } from '../../src/core/text/look.js';
import { reportLines } from '../../src/doctor/forms/for-people.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { startHttp } from '../support/http-server.js';
import { Secret } from '../support/product.js';
import { examineWhole, inBrowser, troublesIn } from './doctor-world.js';

test('doctor: a revocation that ends the login by a replaced refresh token works (better-auth answers like this)', async () => {
  await using scene = await openScene({}, { interactive: true });
  await using own = await openOwnScene();
  const replaced = new Set<string>();
  const dead = new Set<string>();
  let newest = '';
  own.issuer.onToken = ({ fields }) => {
    const used = fields.get('refresh_token');
    if (used !== undefined && replaced.has(used)) dead.add(newest); // the whole login ends
    if (used !== undefined && (dead.has(used) || replaced.has(used) || fields.get('resource') !== own.server.url)) {
      return [400, { error: 'invalid_grant' }];
    }
    if (used !== undefined) replaced.add(used);
    newest = `refresh-${own.issuer.forms.length}-of-this-login`;
    return [200, { access_token: `access-${newest}`, refresh_token: newest, token_type: 'Bearer', expires_in: 300 }];
  };
  own.issuer.onRevocation = (fields) => {
    const token = fields.get('token') ?? '';
    const isLive = token === newest && !dead.has(token);
    dead.add(newest);
    return isLive ? [200, {}] : [400, { error: 'invalid_request' }];
  };
  own.server.whenAuthorized = (request, response) => {
    const isDead = [...dead].some((one) => request.headers.authorization === `Bearer access-${one}`);
    response.writeHead(isDead ? 401 : 200, { 'content-type': 'application/json' });
    response.end('{"jsonrpc":"2.0","id":0,"result":{}}');
  };
  const { report } = await examineWhole(scene, { server: own.server.url });
  const ids = report.findings.map(({ id }) => id);
  assert.ok(!ids.includes('revocation-failed') && !ids.includes('tokens-left'), JSON.stringify(ids));
});

test('doctor --login: a token refused for its audience is told by that (Glewlwyd puts the scopes into aud)', async () => {
  await using scene = await openScene({}, { interactive: true });
  await using own = await openOwnScene();
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = [part({ alg: 'RS256' }), part({ aud: 'tools' }), 'x'].join('.');
  own.issuer.onToken = () => [200, { access_token: token, token_type: 'Bearer', expires_in: 300 }];
  own.server.whenAuthorized = (_request, response) =>
    void response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  const { firstCause } = (await examineWhole(scene, { server: own.server.url })).report;
  assert.equal(firstCause?.id, 'token-refused');
  assert.match(firstCause?.remedy ?? '', /\baud\b/);
});

test('doctor: an authorization server that announces DPoP before a server with Bearer tokens is healthy; of its 401 without a challenge that alone is said (fastmcp)', async () => {
  await using scene = await openScene({ dpop: 'offered' }, { interactive: true });
  for (const [faults, expected] of [
    [['dpop-unknown-to-server'], []],
    [['dpop-unknown-to-server', 'challenge-none'], ['challenge-missing']],
  ] as const) {
    scene.sandbox.setFaults(faults);
    const examined = await examineWhole(scene);
    assert.deepEqual(troublesIn(examined), expected, faults.join());
    assert.ok(
      examined.report.findings.some(({ evidence }) => evidence === 'status 200 to a request with the new token'),
    );
  }
});

test('doctor --login: a client is registered with the scopes that are then asked for (the Python SDK refuses others)', async () => {
  await using scene = await openScene({ faults: ['registration-binds-scope'] }, { interactive: true });
  for (const scope of [[], ['mcp:basic', 'notes:read']]) {
    const examined = await examineWhole(scene, { login: { ...inBrowser, scope } });
    assert.deepEqual(troublesIn(examined), [], examined.report.firstCause?.evidence);
  }
});

test('doctor --login: metadata that leave refresh_token out cost no login its refresh, and nobody is blamed (Glewlwyd)', async () => {
  await using scene = await openScene({ faults: ['as-no-refresh-grant'] }, { interactive: true });
  const { report } = await examineWhole(scene);
  assert.equal(report.firstCause, undefined, report.firstCause?.evidence);
  assert.ok(report.findings.some(({ evidence }) => evidence === 'the refresh token works, and is replaced'));
});

test('doctor: a server that wants no login is told as that, is no failure, and has no advice for its operator', async () => {
  await using scene = await openScene({ faults: ['server-wants-no-login'] }, { interactive: true });
  const { serverUrl } = scene.sandbox;
  for (const login of [undefined, inBrowser]) {
    const { report, subject } = await examineWhole(scene, { login });
    assert.equal(report.exit('warning'), 0);
    const lines = reportLines(subject, report, plainLook).join('\n');
    assert.ok(lines.split('\n')[0]?.endsWith(`postern call ${serverUrl}`), lines);
    assert.doesNotMatch(lines, /needs a login|FAIL|WARN/);
  }
});

const byHand = { client_id: 'by-hand', client_secret: 'secret-by-hand', redirect_uris: ['http://127.0.0.1/callback'] };

test('doctor NAME --login: logs in as the login was made: with its client and its secret, its parameters, its resource', async () => {
  await using scene = await openScene({ registration: false, clients: [byHand] }, { interactive: true });
  const client = {
    ...{ clientId: byHand.client_id, secret: new Secret(byHand.client_secret) },
    ...{ issuer: scene.sandbox.issuer, redirectUri: undefined },
  };
  scene.sandbox.setFaults(['resource-renamed']);
  const held = await scene.login({
    client,
    resource: 'api://postern-sandbox',
    parameters: ['audience=x'],
    scopes: ['mcp:basic', 'notes:read'],
  });
  const stored = await scene.ports.store.read(held.key);
  for (const login of [undefined, inBrowser]) {
    const asked = scene.sandbox.requests.length;
    const examined = await examineWhole(scene, { held, login });
    assert.deepEqual(troublesIn(examined), [], examined.report.firstCause?.evidence);
    const sent = scene.sandbox.requests.slice(asked).find(({ path }) => path === '/authorize');
    const paramOf = (wanted: string) => sent?.params.find(([name]) => name === wanted)?.[1];
    assert.deepEqual(
      [paramOf('audience'), paramOf('scope')],
      login ? ['x', 'mcp:basic notes:read offline_access'] : [undefined, undefined],
    );
  }
  assert.equal((await scene.ports.index.read()).logins[0]?.generation, held.generation);
  assert.equal(await scene.ports.store.read(held.key), stored);
});

test('doctor --login: a client that is refused is the operator’s where it was just registered, else the person’s', async () => {
  await using scene = await openScene({}, { interactive: true });
  await using own = await openOwnScene();
  const firstCause = async () => (await examineWhole(scene, { server: own.server.url })).report.firstCause;
  own.issuer.onToken = () => [401, { error: 'invalid_client' }];
  assert.equal((await firstCause())?.id, 'client-refused');
  const kept: RegistrationRecord = {
    ...{ key: '0'.repeat(64), issuer: own.issuer.issuer, clientId: 'by-hand', way: 'preregistered', scopes: [] },
    ...{ authMethod: 'none', hasSecret: false, secretExpiresAt: null, redirectUri: 'http://127.0.0.1/callback' },
  };
  await scene.ports.index.update((document) => ({ ...document, registrations: [kept] }));
  assert.equal((await firstCause())?.id, 'own-client-refused');
});

test('[A-49] doctor NAME --login: a client’s secret goes to no token endpoint that has moved since the login', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using other = await startHttp((_request, response) => void response.writeHead(200).end('{}'));
  const { issuer } = own.issuer;
  own.issuer.metadata = { ...own.issuer.metadata, registration_endpoint: undefined };
  const client = { clientId: 'by-hand', secret: new Secret('secret-by-hand'), issuer, redirectUri: undefined };
  const held = await scene.login({ server: own.server.url, client });
  own.issuer.metadata = { ...own.issuer.metadata, token_endpoint: `${other.origin}/token` };
  const { report } = await examineWhole(scene, { server: own.server.url, held });
  assert.match(report.firstCause?.evidence ?? '', /moved its endpoints/);
  assert.deepEqual(other.requests, []);
});
