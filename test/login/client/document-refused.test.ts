import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { fixedPorts } from '../../../src/oauth/client-metadata/redirect-uris.js';
import { openDocumentScene } from '../../support/flows/document-scene.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene, type Scene } from '../../support/flows/scene.js';
import { needs } from '../../support/needs.js';

const [firstPort = 0, secondPort = 0] = fixedPorts;

const portsAsked = (scene: Scene) =>
  scene.sandbox.requests
    .filter(({ path }) => path === '/authorize')
    .map(({ params }) => Number(new URL(new Map(params).get('redirect_uri') ?? '').port));

async function squat(port: number): Promise<AsyncDisposable> {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

test('[R-2.5d][R-4.5a] where ports are compared, the person is told of the fixed one; it is taken by itself from then on', {
  skip: needs('openssl'),
}, async () => {
  await using documents = await openDocumentScene();
  documents.publish([]);
  const metadataUrl = documents.url;
  await using scene = await documents.open({ loopbackPorts: 'exact' }, { msAfterWalk: 20_000 });
  const refused = await scene.loginFails('login_timed_out', { metadataUrl });
  assert.match(refused.remedy, new RegExp(`--redirect-port ${firstPort}`));
  assert.match(refused.remedy, /client-metadata check https:.*client\.json/);
  assert.match(
    refused.remedy,
    new RegExp(`page show an error\\?.*--registration dynamic.*--redirect-port ${firstPort}`),
  );

  await scene.login({ metadataUrl, redirectPort: firstPort });
  await scene.login({ metadataUrl });
  {
    await using _squatter = await squat(firstPort);
    await scene.login({ metadataUrl });
  }
  assert.deepEqual(portsAsked(scene).slice(1), [firstPort, firstPort, secondPort]);
});

test('[R-2.5d] documents list localhost with each fixed port, which the remedy names', {
  skip: needs('openssl'),
}, async () => {
  await using documents = await openDocumentScene();
  documents.publish([]);
  const metadataUrl = documents.url;
  await using scene = await documents.open({ loopbackPorts: 'exact' }, { msAfterWalk: 20_000 });
  const refused = await scene.loginFails('login_timed_out', { metadataUrl });
  const listed = { host: 'localhost', port: firstPort, path: '/callback' } as const;
  assert.match(refused.remedy, new RegExp(`--redirect-uri http://localhost:${firstPort}/callback`));
  await scene.login({ metadataUrl, redirectUri: listed });
});

test('[A-59][R-2.5d] every fixed port is taken: it ends before a browser opens, not at a dead end', {
  skip: needs('openssl'),
}, async () => {
  await using documents = await openDocumentScene();
  documents.publish([]);
  const metadataUrl = documents.url;
  await using scene = await documents.open({ loopbackPorts: 'exact' });
  await scene.login({ metadataUrl, redirectPort: firstPort });
  const squatters = await Promise.all(fixedPorts.map(squat));
  const { length } = scene.ports.opened;
  const failure = await scene.loginFails('port_in_use', { metadataUrl });
  assert.equal(failure.exit, 2);
  assert.equal(scene.ports.opened.length, length);
  for (const squatter of squatters) await squatter[Symbol.asyncDispose]();
});

const metadataUrl = 'https://me.postern/client.json';

test('[R-4.6a] a document that is refused: what the authorization server said, and how to go another way', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, client_id_metadata_document_supported: true };
  own.issuer.onAuthorization = (answer) => {
    answer.delete('code');
    answer.set('error', 'unauthorized_client');
    answer.set('error_description', 'not on our list\u001b[2J');
  };
  const wish = { server: own.server.url, metadataUrl };
  const failure = await scene.loginFails('unauthorized_client', wish);
  assert.equal(failure.exit, 4);
  assert.match(failure.message, /unauthorized_client.*not on our list\\x1b\[2J/);
  assert.match(failure.remedy, /client-metadata check https:\/\/me\.postern\/client\.json/);
  assert.match(failure.remedy, /--registration dynamic/);
  assert.deepEqual((await scene.ports.index.read()).registrations, [], 'nothing is remembered of it');
  own.issuer.onAuthorization = () => undefined;
  assert.equal((await scene.login({ ...wish, registration: 'dynamic' })).registration, 'dynamic');
});

test('[R-4.6a] refused at the token endpoint, and without dynamic registration: --client-id is what is left', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const { registration_endpoint: _, ...rest } = own.issuer.metadata;
  own.issuer.metadata = { ...rest, client_id_metadata_document_supported: true };
  own.issuer.onToken = () => [401, { error: 'invalid_client', error_description: 'cannot fetch it' }];
  const failure = await scene.loginFails('invalid_client', { server: own.server.url, metadataUrl });
  assert.match(failure.message, /cannot fetch it/);
  assert.match(failure.remedy, /--client-id ID/);
  assert.doesNotMatch(failure.remedy, /--registration dynamic/);
});

test('a person’s no is no refusal of the document', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, client_id_metadata_document_supported: true };
  own.issuer.onAuthorization = (answer) => {
    answer.delete('code');
    answer.set('error', 'access_denied');
  };
  const failure = await scene.loginFails('denied', { server: own.server.url, metadataUrl });
  assert.doesNotMatch(failure.remedy, /client-metadata/);
});
