import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineServer } from '../../src/doctor/examine-server.js';
import type { Actor } from '../../src/doctor/finding.js';
import { type FindingId, findings } from '../../src/doctor/findings.js';
import type { Report } from '../../src/doctor/report.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { freePort } from '../support/free-port.js';
import { startHttp } from '../support/http-server.js';
import { doctorWorld } from './doctor-world.js';
import { foundPassively } from './passive-faults.js';

const examine = async (scene: Scene, server = scene.sandbox.serverUrl): Promise<Report> => {
  const { report } = await examineServer(doctorWorld(scene), {
    server,
    held: undefined,
    headers: [],
    signal: new AbortController().signal,
  });
  return report;
};

/** Who has to act, by what was found. */
const actors: Partial<Record<FindingId, Actor>> = {
  'issuer-mismatch': 'authorization-server',
  'resource-mismatch': 'server',
  'issuer-unknown': 'server',
};

for (const [fault, id] of Object.entries(foundPassively)) {
  test(`doctor: ${fault} is found as ${id ?? 'nothing above a note'}`, async () => {
    await using scene = await openScene();
    scene.sandbox.setFaults([fault]);
    const { firstCause, worst } = await examine(scene);
    assert.equal(firstCause?.id, id, firstCause?.evidence);
    if (id === undefined) assert.ok(worst === 'pass' || worst === 'note');
    else assert.equal(firstCause?.kind?.who, actors[id] ?? findings[id].who);
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
  assert.equal((await examine(scene, `http://127.0.0.1:${await freePort()}/mcp`)).firstCause?.id, 'connection-refused');
});

test('doctor: a clock that differs by minutes is told, with which of the two is behind', async () => {
  await using server = await startHttp((_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer', date: new Date(Date.now() + 600_000).toUTCString() }).end();
  });
  await using scene = await openScene();
  const report = await examine(scene, `${server.origin}/mcp`);
  const found = report.findings.find(({ id }) => id === 'clock-wrong');
  assert.match(found?.evidence ?? '', /\b(?:599|600|601) s behind/);
});
