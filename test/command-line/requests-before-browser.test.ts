import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { walkLogin } from '../support/product.js';
import { openStage, type Stage } from '../support/stage-here.js';

/** What both servers are asked from the start of a login until the person has something to open. */
async function askedBeforeTheBrowser(stage: Stage, ...options: string[]): Promise<string[]> {
  const before = stage.sandbox.requests.length;
  await using login = stage.start('login', stage.sandbox.serverUrl, '--no-browser', ...options);
  const url = await authorizationUrlOf(login);
  // The code that is to stand beside the address is asked for once the address is shown, which may be by now.
  const asked = stage.sandbox.requests
    .slice(before)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((one) => one !== 'POST /device/authorization');
  await walkLogin(url);
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
  return asked;
}

test('four requests before the browser, the registration among them [R-4.2a] [R-4.3b] [R-1.8c]', async () => {
  await using stage = await openStage();
  const asked = await askedBeforeTheBrowser(stage);
  assert.equal(asked.length, 4, asked.join('\n'));
  assert.equal(stage.sandbox.stats.registrations, 1);
});

test('three requests before the browser with a client that is known already [R-4.6b]', async () => {
  const client = { client_id: 'known-client', redirect_uris: ['http://127.0.0.1/callback'] };
  await using stage = await openStage({ registration: false, metadataDocuments: false, clients: [client] });
  const asked = await askedBeforeTheBrowser(stage, '--client-id', 'known-client');
  assert.equal(asked.length, 3, asked.join('\n'));
});

test('a second login registers no second client: three requests', async () => {
  await using stage = await openStage();
  await askedBeforeTheBrowser(stage);
  const asked = await askedBeforeTheBrowser(stage, '--force');
  assert.equal(asked.length, 3, asked.join('\n'));
  assert.equal(stage.sandbox.stats.registrations, 1);
});
