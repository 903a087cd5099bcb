import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { FindingId } from '../../src/doctor/findings.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { freePort } from '../support/free-port.js';
import { startHttp } from '../support/http-server.js';
import { defaultLimits, type LoginRecord } from '../support/product.js';
import { evidenceOf, examineWhole } from './doctor-world.js';

test('doctor: a healthy server has nothing above a note, and is asked nothing but what is listed, each document once', async () => {
  await using scene = await openScene();
  const { report } = await examineWhole(scene, { login: undefined });
  assert.equal(report.firstCause, undefined);
  const asked = scene.sandbox.requests.map(({ at, method, path }) => `${at} ${method} ${path}`);
  const allowed =
    /^(?:server (?:POST \/mcp|GET \/\.well-known\/oauth-protected-resource(?:\/mcp)?)|authorization GET \/\.well-known\/(?:oauth-authorization-server|openid-configuration))$/;
  for (const line of asked) assert.match(line, allowed);
  const documents = asked.filter((line) => line.includes('GET'));
  assert.deepEqual(documents, [...new Set(documents)]);
  const { registrations, logins } = await scene.ports.index.read();
  assert.deepEqual([registrations, logins], [[], []]);
});

const page = { 'content-type': 'text/html; charset=utf-8' };

/** What real servers respond to every request, and what that is found as; undefined: nothing above a note. */
const servers: readonly {
  readonly title: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Before the sandbox's authorization server: it publishes its metadata. */
  readonly isPublished?: true;
  readonly id: FindingId | undefined;
  readonly remedy?: RegExp;
}[] = [
  {
    title: 'a 401 with a challenge is one, though its text is sent as HTML (express’ send does that)',
    ...{ status: 401, headers: { ...page, 'www-authenticate': 'Bearer error="invalid_token"' }, body: 'Unauthorized' },
    ...{ isPublished: true, id: undefined },
  },
  {
    title: 'a 401 as a page, without a challenge: a login works by the well-known address',
    ...{ status: 401, headers: page, body: '<html>', isPublished: true, id: 'challenge-missing' },
  },
  {
    title: 'a 401 as a page, without a challenge, and no metadata anywhere',
    ...{ status: 401, headers: page, body: '<html>', id: 'page-instead' },
  },
  {
    title: 'a refusal with a 403 that calls itself HTML and is empty is no page (django-oauth-toolkit sends it)',
    ...{ status: 403, headers: page, isPublished: true, id: 'no-login-asked' },
  },
  {
    title: 'a page that comes with 200 is one, and no server without a login',
    ...{ status: 200, headers: {}, body: '<!doctype html><title>Sign in</title>', id: 'page-instead' },
  },
  {
    title: 'a web server’s own page for 404 says that the path is wrong',
    ...{ status: 404, headers: page, body: '<html><title>404 Not Found</title>', id: 'wrong-path' },
  },
  {
    title: 'a redirect to another path is an address to correct (nginx sends a page with it)',
    ...{ status: 301, headers: { ...page, location: '/mcp/' }, body: '<html>', id: 'wrong-path' },
    remedy: /Did you mean: postern login .*\/mcp\/$/,
  },
  {
    title: 'a redirect to an inner port is the operator’s',
    ...{ status: 301, headers: { ...page, location: 'http://127.0.0.1:8080/mcp/' }, id: 'server-redirects' },
    remedy: /The server’s proxy hides the port/,
  },
];

for (const { title, status, headers, body = '', isPublished, id, remedy } of servers) {
  test(`doctor: ${title}`, async () => {
    await using scene = await openScene();
    const issuer = new URL(scene.sandbox.issuer).href.replace(/\/$/, '');
    const metadata = (origin: string) => JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [issuer] });
    await using server = await startHttp((request, response) => {
      const isMetadata = request.url === '/.well-known/oauth-protected-resource/mcp';
      if (isPublished === undefined || request.url === '/mcp') response.writeHead(status, headers).end(body);
      else if (!isMetadata) response.writeHead(404).end();
      else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(metadata(`http://${request.headers.host}`));
      }
    });
    const { report } = await examineWhole(scene, { server: `${server.origin}/mcp`, login: undefined });
    const { firstCause } = report;
    assert.equal(firstCause?.id, id, firstCause?.evidence);
    if (remedy !== undefined) assert.match(firstCause?.remedy ?? '', remedy);
    assert.ok(!report.has('login-not-needed'));
  });
}

test('doctor: a server that is not there', async () => {
  await using scene = await openScene();
  const { report } = await examineWhole(scene, {
    server: `http://127.0.0.1:${await freePort()}/mcp`,
    login: undefined,
  });
  assert.equal(report.firstCause?.id, 'connection-refused');
});

test('doctor: a clock that differs by minutes is told, with which of the two is behind', async () => {
  await using server = await startHttp((_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer', date: new Date(Date.now() + 600_000).toUTCString() }).end();
  });
  await using scene = await openScene();
  const examined = await examineWhole(scene, { server: `${server.origin}/mcp`, login: undefined });
  assert.match(evidenceOf(examined), /^clock-wrong: .*\b(?:599|600|601) s behind/m);
});

/** A response that begins, and does not end. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const drips = setInterval(() => response.write(' '), 10);
  response.once('close', () => clearInterval(drips));
}

test('doctor: metadata that drips is not called invalid: it did not come in time', async () => {
  // Seconds for what does come in time, on a busy machine.
  await using scene = await openScene({}, { limits: { ...defaultLimits, metadataSeconds: 2 } });
  await using hasty = await openScene({}, { limits: { ...defaultLimits, metadataSeconds: 0.3 } });
  await using issuer = await startHttp((_request, response) => drip(response));
  let isSlow = true;
  await using server = await startHttp((request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.method === 'POST') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    else if (isSlow) drip(response);
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [issuer.origin] }));
    }
  });
  const passive = { server: `${server.origin}/mcp`, login: undefined };
  assert.equal((await examineWhole(hasty, passive)).report.firstCause?.id, 'not-in-time');
  isSlow = false;
  assert.equal((await examineWhole(scene, passive)).report.firstCause?.id, 'issuer-unreachable');
  const brief = await examineWhole(scene, { ...passive, server: `${issuer.origin}/mcp`, limitMs: 300 });
  assert.equal(brief.report.firstCause?.id, 'run-too-long', 'what drips for ever ends at the limit of the whole run');
});

/** What a server responds to the tokens that nobody issued: made up, expired, unsigned, malformed. */
const toBadTokens: readonly (readonly [title: string, responses: readonly number[], evidence: RegExp])[] = [
  ['that takes any token is found out', [200, 200, 200, 200], /^bad-token-taken: .* a made-up token, an expired one/m],
  ['that takes one of four is found out', [401, 401, 200, 401], /^bad-token-taken: status 200 to an unsigned one$/m],
  ['with 400 to what is no token is right (hono)', [401, 401, 401, 400], /^pass: status 400 to a malformed one$/m],
];

for (const [title, responses, evidence] of toBadTokens) {
  test(`doctor: a server ${title}`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    const left = [...responses];
    own.server.whenAuthorized = (_request, response) => {
      const status = left.length > 1 ? left.shift() : left[0];
      const headers = status === 401 ? { 'www-authenticate': 'Bearer error="invalid_token"' } : undefined;
      response.writeHead(status ?? 500, { ...headers, 'content-type': 'application/json' }).end('{}');
    };
    const examined = await examineWhole(scene, { server: own.server.url, login: undefined });
    assert.match(evidenceOf(examined), evidence);
    assert.ok(!examined.report.has('bad-token-status'));
  });
}

test('doctor: a registration endpoint that no login is let out to is found before anybody logs in', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, registration_endpoint: 'http://169.254.169.254/register' };
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  assert.equal(report.firstCause?.id, 'endpoint-refused');
});

test('doctor: a client of the configuration, and a login’s own document, are clients that it has', async () => {
  await using scene = await openScene({ registration: false });
  const { issuer, serverUrl: server } = scene.sandbox;
  const clients = [{ issuer, clientId: 'configured', redirectUri: undefined }];
  const clientMetadataUrl = 'https://cli.example/client.json';
  const held = { server, issuer, clientId: clientMetadataUrl, registration: 'metadata' } as LoginRecord;
  const cases = [
    [{}, /^no-way-to-register/m],
    [{ configuration: { clients } }, /^pass: preregistered/m],
    [{ configuration: { clientMetadataUrl } }, /^pass: metadata/m],
    [{ held }, /^pass: metadata/m],
  ] as const;
  for (const [target, evidence] of cases) {
    assert.match(evidenceOf(await examineWhole(scene, { login: undefined, ...target })), evidence);
  }
});

test('[A-32] doctor: an issuer that differs by the slash at its end costs one option, and a login that took it nothing (JumpCloud)', async () => {
  await using scene = await openScene({ issuerPath: '/tenant1', faults: ['as-issuer-slash'] });
  const { report } = await examineWhole(scene, { login: undefined });
  assert.deepEqual([report.firstCause?.id, report.firstCause?.level], ['issuer-slash', 'warning']);
  const command = `postern login ${scene.sandbox.serverUrl} --authorization-server ${scene.sandbox.issuer}/`;
  assert.ok(report.firstCause?.remedy?.endsWith(command), report.firstCause?.remedy);
  const goesOn = report.findings.some(({ step, level }) => step === 'client' && level === 'pass');
  assert.ok(goesOn);
  const held = { server: scene.sandbox.serverUrl, issuer: `${scene.sandbox.issuer}/` } as LoginRecord;
  const again = await examineWhole(scene, { login: undefined, held });
  assert.equal(again.report.firstCause, undefined);
});
