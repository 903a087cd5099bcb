import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { plainLook } from '../../src/core/text/look.js';
import { type Examined, examineServer } from '../../src/doctor/examine-server.js';
import { reportLines } from '../../src/doctor/forms/for-people.js';
import type { Report } from '../../src/doctor/report.js';
import type { ExamineWorld } from '../../src/doctor/run.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { startHttp } from '../support/http-server.js';
import { type LoginRecord, Secret } from '../support/product.js';
import { doctorWorld, examineWhole, inBrowser } from './doctor-world.js';

async function examine(scene: Scene, server: string): Promise<Report> {
  const { signal } = new AbortController();
  return (await examineServer(doctorWorld(scene), { server, held: undefined, headers: [], signal })).report;
}

/** A server before the sandbox's authorization server, whose 401 is as given. */
async function before(scene: Scene, unauthorized: (response: ServerResponse, metadata: string) => void) {
  const servers = [new URL(scene.sandbox.issuer).href.replace(/\/$/, '')];
  return await startHttp((request: IncomingMessage, response) => {
    const origin = `http://${request.headers.host}`;
    const metadata = '/.well-known/oauth-protected-resource/mcp';
    if (request.url === metadata) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: servers }));
    } else if (request.url === '/mcp') unauthorized(response, origin + metadata);
    else response.writeHead(404).end();
  });
}

const page = { 'content-type': 'text/html; charset=utf-8' };

test('doctor: a 401 with a challenge is one, though its text is sent as HTML (express’ send does that)', async () => {
  await using scene = await openScene();
  await using server = await before(scene, (response, metadata) => {
    const challenge = `Bearer error="invalid_token", resource_metadata="${metadata}"`;
    response.writeHead(401, { ...page, 'www-authenticate': challenge }).end('Unauthorized');
  });
  const { firstCause } = await examine(scene, `${server.origin}/mcp`);
  assert.equal(firstCause, undefined, firstCause?.evidence);
});

test('doctor: a 401 as a page, without a challenge: a login works by the well-known address, or it fails there', async () => {
  await using scene = await openScene();
  await using found = await before(scene, (response) => void response.writeHead(401, page).end('<html>'));
  assert.equal((await examine(scene, `${found.origin}/mcp`)).firstCause?.id, 'challenge-missing');
  await using nothing = await startHttp((_request, response) => void response.writeHead(401, page).end('<html>'));
  assert.equal((await examine(scene, `${nothing.origin}/mcp`)).firstCause?.id, 'page-instead');
});

test('doctor: a refusal with a 403 that calls itself HTML and is empty is no page (django-oauth-toolkit sends it)', async () => {
  await using scene = await openScene();
  await using found = await before(scene, (response) => void response.writeHead(403, page).end());
  assert.equal((await examine(scene, `${found.origin}/mcp`)).firstCause?.id, 'no-login-asked');
});

test('doctor: a web server’s own page for 404 says that the path is wrong', async () => {
  await using scene = await openScene();
  const text = '<html><head><title>404 Not Found</title></head></html>';
  await using server = await startHttp((_request, response) => void response.writeHead(404, page).end(text));
  assert.equal((await examine(scene, `${server.origin}/mcp`)).firstCause?.id, 'wrong-path');
});

test('doctor: a redirect to another path is an address to correct, one to an inner port is the operator’s (nginx sends a page with both)', async () => {
  await using scene = await openScene();
  for (const [location, id, remedy] of [
    ['/mcp/', 'wrong-path', /Did you mean: postern login .*\/mcp\/$/],
    ['http://127.0.0.1:8080/mcp/', 'server-redirects', /The server’s proxy hides the port/],
  ] as const) {
    await using server = await startHttp(
      (_request, response) => void response.writeHead(301, { ...page, location }).end('<html>301 Moved Permanently'),
    );
    const { firstCause } = await examine(scene, `${server.origin}/mcp`);
    assert.equal(firstCause?.id, id);
    assert.match(firstCause?.remedy ?? '', remedy);
    assert.match(firstCause?.evidence ?? '', /redirects \(301\) to/);
  }
});

test('doctor: 400 to a token that is no token is right by RFC 6750 (hono’s bearerAuth sends it)', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.whenAuthorized = ({ headers: { authorization = '' } }, response) => {
    const isToken = /^Bearer [A-Za-z0-9._~+/-]+=*$/.test(authorization);
    const error = isToken ? 'invalid_token' : 'invalid_request';
    response.writeHead(isToken ? 401 : 400, { 'www-authenticate': `Bearer error="${error}"` }).end();
  };
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  assert.ok(!report.has('bad-token-status'));
  assert.match(report.findings.map(({ evidence }) => evidence).join(), /status 400 to a malformed one/);
});

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

test('doctor: a registration endpoint that no login is let out to is found before anybody logs in', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, registration_endpoint: 'http://169.254.169.254/register' };
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  assert.equal(report.firstCause?.id, 'endpoint-refused');
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

/** What is above a note, and what is said of refreshes. */
const troubles = ({ report }: Examined) =>
  report.findings.filter(({ level }) => level === 'failure' || level === 'warning').map(({ id }) => id);

test('doctor: an authorization server that announces DPoP before a server with Bearer tokens is healthy; of its 401 without a challenge that alone is said (fastmcp)', async () => {
  await using scene = await openScene({ dpop: 'offered' }, { interactive: true });
  for (const [faults, expected] of [
    [['dpop-unknown-to-server'], []],
    [['dpop-unknown-to-server', 'challenge-none'], ['challenge-missing']],
  ] as const) {
    scene.sandbox.setFaults(faults);
    const examined = await examineWhole(scene);
    assert.deepEqual(troubles(examined), expected, faults.join());
    assert.ok(
      examined.report.findings.some(({ evidence }) => evidence === 'status 200 to a request with the new token'),
    );
  }
});

test('doctor --login: a client is registered with the scopes that are then asked for (the Python SDK refuses others)', async () => {
  await using scene = await openScene({ faults: ['registration-binds-scope'] }, { interactive: true });
  for (const scope of [[], ['mcp:basic', 'notes:read']]) {
    const examined = await examineWhole(scene, { login: { ...inBrowser, scope } });
    assert.deepEqual(troubles(examined), [], examined.report.firstCause?.evidence);
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

test('doctor: a page that comes with 200 is still one, and no server without a login', async () => {
  await using scene = await openScene();
  await using server = await startHttp((_request, response) => void response.writeHead(200, page).end('<html>'));
  const report = await examine(scene, `${server.origin}/mcp`);
  assert.equal(report.firstCause?.id, 'page-instead');
  assert.ok(!report.has('login-not-needed'));
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
    assert.deepEqual(troubles(examined), [], examined.report.firstCause?.evidence);
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

test('doctor: a client of the configuration, and a login’s own document, are clients that it has', async () => {
  await using scene = await openScene({ registration: false });
  const { issuer, serverUrl: server } = scene.sandbox;
  const { signal } = new AbortController();
  const world = doctorWorld(scene);
  const passes = async (world: ExamineWorld, held?: LoginRecord) =>
    (await examineServer(world, { server, held, headers: [], signal })).report.findings
      .filter(({ step, level }) => step === 'client' && level === 'pass')
      .map(({ evidence }) => evidence.split(':', 1)[0]);
  const clients = [{ issuer, clientId: 'configured', redirectUri: undefined }];
  assert.deepEqual(await passes(world), []);
  assert.deepEqual(await passes({ ...world, configuration: async () => ({ clients }) }), ['preregistered']);
  const clientMetadataUrl = 'https://cli.example/client.json';
  assert.deepEqual(await passes({ ...world, configuration: async () => ({ clientMetadataUrl }) }), ['metadata']);
  const held = { server, issuer, clientId: clientMetadataUrl, registration: 'metadata' } as LoginRecord;
  assert.deepEqual(await passes(world, held), ['metadata']);
});

test('[A-32] doctor: an issuer that differs by the slash at its end costs one option, and a login that took it nothing (JumpCloud)', async () => {
  await using scene = await openScene({ issuerPath: '/tenant1', faults: ['as-issuer-slash'] });
  const { report } = await examineWhole(scene, { login: undefined });
  assert.deepEqual([report.firstCause?.id, report.firstCause?.level], ['issuer-slash', 'warning']);
  const command = `postern login ${scene.sandbox.serverUrl} --authorization-server ${scene.sandbox.issuer}/`;
  assert.ok(report.firstCause?.remedy?.endsWith(command), report.firstCause?.remedy);
  assert.ok(
    report.findings.some(({ step, level }) => step === 'client' && level === 'pass'),
    'and it goes on',
  );
  const held = { server: scene.sandbox.serverUrl, issuer: `${scene.sandbox.issuer}/` } as LoginRecord;
  const again = await examineWhole(scene, { login: undefined, held });
  assert.equal(again.report.firstCause, undefined);
});
