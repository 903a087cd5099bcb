import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene } from '../../support/flows/scene.js';
import { startHttp } from '../../support/http-server.js';
import { examineWhole } from '../doctor-world.js';

/** A registration endpoint that says how to manage a client, and remembers what it was asked to remove. */
async function startManaged(managedAt: (origin: string) => string) {
  const removed: (string | undefined)[] = [];
  const http = await startHttp((request, response) => {
    if (request.method === 'DELETE') {
      removed.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(204).end();
      return;
    }
    const client = {
      client_id: 'a-client',
      token_endpoint_auth_method: 'none',
      registration_client_uri: managedAt(`http://${request.headers.host}`),
      registration_access_token: 'canary-management',
    };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(client));
  });
  return { http, removed };
}

test('doctor --active: an authorization server that says yes to everything is found out', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  assert.equal(report.firstCause?.id, 'redirect-unchecked');
  assert.equal(report.findings.filter(({ id }) => id === 'redirect-unchecked').length, 3);
  assert.equal(report.findings.filter(({ id }) => id === 'pkce-unchecked').length, 2);
  assert.ok(report.has('client-left'), 'it does not say how to remove a client');
});

test('doctor --active: the client is removed by the address that the registration gave', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { http, removed } = await startManaged((origin) => `${origin}/clients/1`);
  await using _http = http;
  own.issuer.metadata = { ...own.issuer.metadata, registration_endpoint: `${http.origin}/register` };
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  assert.deepEqual(removed, ['/clients/1 Bearer canary-management']);
  assert.ok(!report.has('client-left'));
});

test('doctor --active: nothing is removed at an address of another origin', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using victim = await startHttp((_request, response) => void response.writeHead(204).end());
  const { http } = await startManaged(() => `${victim.origin}/clients/1`);
  await using _http = http;
  own.issuer.metadata = { ...own.issuer.metadata, registration_endpoint: `${http.origin}/register` };
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  assert.deepEqual(victim.requests, []);
  assert.ok(report.has('client-left'));
});

test('doctor --active: a client that gets a secret it did not ask for, or is made a web page’s', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.onRegistration = ({ redirect_uris }) => [
    201,
    {
      client_id: 'a',
      redirect_uris,
      client_secret: 'secret-value',
      client_secret_expires_at: 0,
      application_type: 'web',
    },
  ];
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  assert.ok(report.has('registration-method-changed'));
  assert.ok(report.has('registration-not-native'));
});

test('doctor --active: behind a login page nothing is claimed', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await using page = await startHttp((_request, response) => void response.end('<!doctype html><title>Log in</title>'));
  own.issuer.metadata = { ...own.issuer.metadata, authorization_endpoint: `${page.origin}/authorize` };
  const { report } = await examineWhole(scene, { server: own.server.url, login: undefined });
  const skipped = report.findings.filter(({ step, level }) => step === 'request' && level === 'skipped');
  assert.equal(skipped.length, 5);
  assert.ok(skipped.every(({ evidence }) => evidence.includes('the login page comes first')));
  assert.ok(report.worst !== 'failure', report.firstCause?.evidence);
});
