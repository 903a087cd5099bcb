import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTransport } from '../../src/call/transport.js';
import { callTool, freshToken } from '../support/flows/calls.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';

const { signal } = new AbortController();
const limits = { totalMs: 60_000, headersMs: 60_000, maxBytes: 1024 } as const;

test('[A-149] 200 requests of one process at expiry: one refresh, one look into the store, each its answer; one can be given up', {
  timeout: 120_000,
}, async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.whenAuthorized = (_request, response) => void response.end('ok');
  const login = await keepLogin(scene, own);
  scene.ports.advance(299_000);
  let reads = 0;
  const read: typeof scene.ports.store.read = async (key) => {
    reads += 1;
    return scene.ports.store.read(key);
  };
  const ports = { ...scene.ports, store: { ...scene.ports.store, read } };
  const transport = createTransport(ports, { login, relogin: undefined, signal });
  const giveUp = new AbortController();
  const reason = new Error('given up');
  const impatient = transport.send({ method: 'GET', url: own.server.url, limits, signal: giveUp.signal });
  giveUp.abort(reason);
  await assert.rejects(impatient, (error) => error === reason);
  const answers = Array.from({ length: 200 }, async () => {
    const { signal: mine } = new AbortController(); // as each request of a proxy has
    await using response = await transport.send({ method: 'GET', url: own.server.url, limits, signal: mine });
    return response.status;
  });
  assert.deepEqual(new Set(await Promise.all(answers)), new Set([200]));
  assert.equal(own.issuer.forms.length, 2, 'one for the login, one refresh');
  assert.deepEqual(new Set(own.server.tokens), new Set(['Bearer access-2']));
  assert.ok(reads < 10, `${reads} looks`);
});

test('[A-146] three fresh tokens of a login are refused within a minute, over all processes: no other is asked for', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  scene.sandbox.setFaults(['server-401-always']);
  for (let process = 1; process <= 3; process += 1) {
    await failureOf(callTool(scene, login, 'echo', { text: 'x' }), 'token_refused');
    assert.equal(scene.sandbox.stats.refreshes, process);
  }
  const failure = await failureOf(callTool(scene, login, 'echo', { text: 'x' }), 'token_refused');
  assert.equal(failure.exit, 3);
  assert.match(failure.message, /3 new tokens .* within a minute/);
  assert.equal(scene.sandbox.stats.refreshes, 3);
  assert.deepEqual(scene.ports.opened.length, 1, 'no browser either');
  scene.sandbox.setFaults([]);
  await callTool(scene, login, 'echo', { text: 'x' }); // the token that is there is good again
  scene.ports.advance(61_000);
  const { accessToken } = await freshToken(scene, login, undefined, 0);
  await freshToken(scene, login, accessToken, 0);
  assert.equal(scene.sandbox.stats.refreshes, 4);
});
