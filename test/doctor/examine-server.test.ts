import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue, type FindingId } from '../../src/doctor/catalogue/catalogue.js';
import { examineServer } from '../../src/doctor/examine-server.js';
import type { Actor } from '../../src/doctor/finding.js';
import type { Report } from '../../src/doctor/report.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { startHttp } from '../support/http-server.js';
import { doctorWorld } from './doctor-world.js';

const examine = async (scene: Scene, server = scene.sandbox.serverUrl): Promise<Report> => {
  const { report } = await examineServer(doctorWorld(scene), {
    server,
    held: undefined,
    signal: new AbortController().signal,
  });
  return report;
};

/** What each fault of the sandbox is found as that can be seen without a login; undefined: nothing above a note. */
const found: Readonly<Record<string, FindingId | undefined>> = {
  'challenge-file-url': 'resource-metadata-missing',
  'challenge-javascript-url': 'resource-metadata-missing',
  'challenge-other-origin': 'metadata-elsewhere',
  'challenge-private-address': 'resource-metadata-missing',
  'challenge-cloud-metadata': 'resource-metadata-missing',
  'challenge-odd-address': 'resource-metadata-missing',
  'challenge-userinfo': 'resource-metadata-missing',
  'challenge-reflects-text': undefined,
  'challenge-two-bearers': 'challenge-invalid',
  'challenge-repeated-parameter': 'challenge-invalid',
  'challenge-odd-form': undefined,
  'challenge-huge': 'http-broken',
  'challenge-commas': 'challenge-invalid',
  'challenge-hostile-scope': 'challenge-invalid',
  'challenge-none': 'challenge-missing',
  'challenge-no-metadata': undefined,
  'challenge-on-500': 'server-failed',
  'prm-wrong-resource': 'resource-mismatch',
  'prm-resource-origin': undefined,
  'prm-resource-sibling': 'resource-mismatch',
  'prm-resource-fragment': 'resource-mismatch',
  'prm-no-servers': 'resource-metadata-invalid',
  'prm-empty-servers': 'resource-metadata-invalid',
  'prm-other-issuer': 'issuer-unreachable',
  'prm-hostile-names': undefined,
  'prm-array': 'resource-metadata-invalid',
  'prm-duplicate-keys': 'resource-metadata-invalid',
  'prm-html': 'resource-metadata-invalid',
  'prm-missing': 'resource-metadata-missing',
  'prm-redirect-elsewhere': 'resource-metadata-missing',
  'prm-redirect-ring': 'resource-metadata-missing',
  'as-issuer-mismatch': 'issuer-mismatch',
  'as-issuer-slash': 'issuer-mismatch',
  'as-issuer-case': 'issuer-mismatch',
  'as-protected-resources': 'resource-not-listed',
  'as-no-pkce': 'pkce-missing',
  'as-pkce-plain': 'pkce-missing',
  'as-pkce-string': 'pkce-missing',
  'as-pkce-lower-case': 'pkce-missing',
  'as-no-code-response-type': 'capability-missing',
  'as-no-code-grant': 'capability-missing',
  'as-cimd-string-true': 'document-flag-text',
  'as-nulls': undefined,
  'as-endpoint-http-public': 'endpoint-refused',
  'as-endpoint-private': 'endpoint-refused',
  'as-authorization-elsewhere': 'endpoint-refused',
  'as-query-pollution': 'issuer-metadata-invalid',
  'as-endpoint-fragment': 'issuer-metadata-invalid',
  'as-endpoint-script': 'issuer-metadata-invalid',
  'as-type-confusion': 'issuer-metadata-invalid',
  'as-unused-endpoints': undefined,
  'as-first-html': undefined,
  'as-first-500': undefined,
  'as-huge': 'issuer-metadata-missing',
  'as-gzip-bomb': 'issuer-metadata-missing',
  'as-deep-json': 'issuer-metadata-missing',
  'server-500-for-token': 'bad-token-status',
  'server-403-plain': 'bad-token-status',
};

/** Who has to act, by what was found. */
const actors: Partial<Record<FindingId, Actor>> = {
  'issuer-mismatch': 'authorization-server',
  'resource-mismatch': 'server',
};

for (const [fault, id] of Object.entries(found)) {
  test(`doctor: ${fault} is found as ${id ?? 'nothing above a note'}`, async () => {
    await using scene = await openScene();
    scene.sandbox.setFaults([fault]);
    const { firstCause, worst } = await examine(scene);
    assert.equal(firstCause?.id, id, firstCause?.evidence);
    if (id === undefined) assert.ok(worst === 'pass' || worst === 'note');
    else assert.equal(firstCause?.kind?.who, actors[id] ?? catalogue[id].who);
  });
}

test('doctor: a healthy server has nothing above a note, and is asked nothing but what is listed', async () => {
  await using scene = await openScene();
  const report = await examine(scene);
  assert.equal(report.firstCause, undefined);
  const asked = scene.sandbox.requests.map(({ at, method, path }) => `${at} ${method} ${path}`);
  const allowed =
    /^(?:server (?:POST \/mcp|GET \/\.well-known\/oauth-protected-resource(?:\/mcp)?)|authorization GET \/\.well-known\/(?:oauth-authorization-server|openid-configuration))$/;
  assert.deepEqual(
    asked.filter((line) => !allowed.test(line)),
    [],
  );
  assert.equal(
    new Set(asked.filter((line) => line.includes('GET'))).size,
    asked.filter((line) => line.includes('GET')).length,
  );
  const { registrations, logins } = await scene.ports.index.read();
  assert.deepEqual([registrations, logins], [[], []]);
});

test('doctor: a server that takes any token is found out', async () => {
  await using server = await startHttp((request, response) => {
    if (request.headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":0,"result":{}}');
  });
  await using scene = await openScene();
  const report = await examine(scene, `${server.origin}/mcp`);
  assert.ok(report.has('bad-token-taken'));
  assert.equal(report.firstCause?.id, 'resource-metadata-missing', 'the first step that fails comes first');
});

test('doctor: a page where the protocol should respond, a wrong path, and a server that is not there', async () => {
  await using scene = await openScene();
  await using page = await startHttp((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
  });
  await using nothing = await startHttp((_request, response) => void response.writeHead(404).end());
  assert.equal((await examine(scene, `${page.origin}/mcp`)).firstCause?.id, 'page-instead');
  assert.equal((await examine(scene, `${nothing.origin}/mcp`)).firstCause?.id, 'wrong-path');
  const { origin } = page;
  await page[Symbol.asyncDispose]();
  assert.equal((await examine(scene, `${origin}/mcp`)).firstCause?.id, 'not-reachable');
});

test('doctor: a clock that differs by minutes is told, with which of the two is behind', async () => {
  await using server = await startHttp((_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer', date: new Date(Date.now() + 600_000).toUTCString() }).end();
  });
  await using scene = await openScene();
  const report = await examine(scene, `${server.origin}/mcp`);
  const found = report.findings.find(({ id }) => id === 'clock-wrong');
  assert.match(found?.evidence ?? '', /^this clock is (?:599|600|601) s behind the server’s$/);
});
