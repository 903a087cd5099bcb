import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { listTools } from '../support/flows/calls.js';
import { keepLogin, type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginRecord } from '../support/product.js';

/** A login whose server then gives this answer to whoever shows its token. */
async function refused(scene: Scene, own: OwnScene, answer: (response: ServerResponse) => void): Promise<LoginRecord> {
  own.server.whenAuthorized = (_request, response) => answer(response);
  return keepLogin(scene, own);
}

test('a token that is refused though it lives is called refused, with the server’s words, not expired', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.onToken = () => [200, { access_token: 'a', token_type: 'Bearer', expires_in: 300 }];
  const login = await refused(scene, own, (response) => {
    const challenge = 'Bearer error="invalid_token", error_description="The signing key was retired"';
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  const { message, exit } = await failureOf(listTools(scene, login), 'login_expired');
  assert.match(message, /rejected the token of this login, which would be valid for 2\d\d s more/);
  assert.match(message, /"invalid_token: The signing key was retired"/);
  assert.doesNotMatch(message, /expired/);
  assert.equal(exit, 3);
});

test('a fresh token that is refused, too, is told with the words of the last answer', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await refused(scene, own, (response) => {
    response.writeHead(401, { 'content-type': 'application/problem+json; charset=utf-8' });
    response.end(JSON.stringify({ title: 'Unauthorized', detail: 'wrong audience' }));
  });
  const { message } = await failureOf(listTools(scene, login), 'token_refused');
  assert.match(message, /"Unauthorized: wrong audience"/);
});

test('a 403 says what the server says, cleaned and cut, and nobody is told to try again later', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const error_description = `needs notes:write\u001b[31m\n${'x'.repeat(5_000)}`;
  const login = await refused(scene, own, (response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'insufficient_scope', error_description }));
  });
  const { message, remedy } = await failureOf(listTools(scene, login), 'http_failed');
  assert.match(message, /responded 403; it said: "insufficient_scope: needs notes:write\\x1b\[31m\\x0ax+…"/);
  assert.ok(message.length < 600);
  assert.doesNotMatch(remedy, /later/);
});

test('a refusal whose body never ends, or is huge, is told without it, at once', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await refused(scene, own, (response) => {
    response.writeHead(403, { 'content-type': 'application/json' }).write('{"error":"');
  });
  assert.match((await failureOf(listTools(scene, login), 'http_failed')).message, /responded 403\.$/);
  own.server.whenAuthorized = (_request, response) =>
    void response.writeHead(403, { 'content-type': 'application/json' }).end(`{"error":"${'x'.repeat(1e6)}"}`);
  assert.match((await failureOf(listTools(scene, login), 'http_failed')).message, /responded 403\.$/);
});
