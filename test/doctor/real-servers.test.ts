import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { examineServer } from '../../src/doctor/examine-server.js';
import type { Report } from '../../src/doctor/report.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { startHttp } from '../support/http-server.js';
import { doctorWorld, examineWhole } from './doctor-world.js';

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

test('doctor: 400 to a token that is no token is right by RFC 6750 (hono’s bearerAuth sends it)', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.whenAuthorized = ({ headers: { authorization = '' } }, response) => {
    const isToken = /^Bearer [A-Za-z0-9._~+/-]+=*$/.test(authorization);
    const error = isToken ? 'invalid_token' : 'invalid_request';
    response.writeHead(isToken ? 401 : 400, { 'www-authenticate': `Bearer error="${error}"` }).end();
  };
  const { report } = await examineWhole(scene, { server: own.server.url, active: false, login: undefined });
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
  for (const active of [false, true]) {
    const { report } = await examineWhole(scene, { server: own.server.url, active });
    const ids = report.findings.map(({ id }) => id);
    assert.ok(!ids.includes('revocation-failed') && !ids.includes('tokens-left'), JSON.stringify(ids));
  }
});

test('doctor --active: a correct request that comes back with invalid_target is about the resource (better-auth)', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.onAuthorization = (answer) => {
    answer.delete('code');
    answer.set('error', 'invalid_target');
  };
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  assert.equal(report.firstCause?.id, 'resource-unknown');
});

test('doctor: a registration endpoint that no login is let out to is found before anybody logs in', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, registration_endpoint: 'http://169.254.169.254/register' };
  const { report } = await examineWhole(scene, { server: own.server.url, active: false, login: undefined });
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
  const { firstCause } = (await examineWhole(scene, { server: own.server.url, active: false })).report;
  assert.equal(firstCause?.id, 'token-refused');
  assert.match(firstCause?.remedy ?? '', /aud is not the resource/);
});
