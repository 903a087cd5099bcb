import assert from 'node:assert/strict';
import { test } from 'node:test';
import { walkLogin } from '../../src/sandbox/walk.js';
import { needs } from '../support/needs.js';
import { authorizationUrlOf, openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');

/** What both servers were asked until the person has something to open. */
async function askedBeforeTheBrowser(stage: Stage, ...options: string[]): Promise<string[]> {
  await using login = stage.start('login', stage.sandbox.serverUrl, '--no-browser', ...options);
  const url = await authorizationUrlOf(login);
  const asked = stage.sandbox.requests.map(({ method, path }) => `${method} ${path}`);
  await walkLogin(url);
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
  return asked;
}

test('four requests before the browser, the registration among them [R-4.2a] [R-4.3b] [R-1.8c]', {
  skip,
}, async () => {
  await using stage = await openStage();
  const asked = await askedBeforeTheBrowser(stage);
  assert.equal(asked.length, 4, asked.join('\n'));
  assert.equal(stage.sandbox.stats.registrations, 1);
});

test('three requests before the browser with a client that is known already [R-4.6b]', { skip }, async () => {
  const client = { client_id: 'known-client', redirect_uris: ['http://127.0.0.1/callback'] };
  await using stage = await openStage({ registration: false, metadataDocuments: false, clients: [client] });
  const asked = await askedBeforeTheBrowser(stage, '--client-id', 'known-client');
  assert.equal(asked.length, 3, asked.join('\n'));
});

test('a second login registers no second client: three requests', { skip }, async () => {
  await using stage = await openStage();
  await askedBeforeTheBrowser(stage);
  const before = stage.sandbox.requests.length;
  const asked = (await askedBeforeTheBrowser(stage)).slice(before);
  assert.equal(asked.length, 3, asked.join('\n'));
  assert.equal(stage.sandbox.stats.registrations, 1);
});
