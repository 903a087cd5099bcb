import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysFor } from '../../src/client-metadata/keys.js';
import { showIdentity } from '../../src/client-metadata/show.js';
import { type OwnScene, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';

const metadataUrl = 'https://me.postern/client.json';
const { signal } = new AbortController();

type Wish = Partial<Parameters<typeof showIdentity>[1]>;

function show(scene: Scene, own: OwnScene, wish: Wish = {}) {
  const nothing = { clients: [], metadataUrl: undefined, redirectPort: undefined };
  return showIdentity(scene.ports, { server: own.server.url, ...nothing, signal, ...wish });
}

test('[R-4.6a] show says which way a login would take, and why not the ones before it; nothing is registered or opened', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const dynamic = await show(scene, own);
  assert.deepEqual([dynamic.way, dynamic.clientId], ['dynamic', undefined]);
  assert.deepEqual(
    dynamic.passedOver.map(({ way }) => way),
    ['preregistered', 'metadata'],
  );
  assert.match((await show(scene, own, { metadataUrl })).passedOver[1]?.why ?? '', /does not take/);

  const { registration_endpoint: endpoint, ...rest } = own.issuer.metadata;
  own.issuer.metadata = rest;
  assert.equal((await show(scene, own)).way, 'ask');
  own.issuer.metadata = { ...rest, registration_endpoint: endpoint, client_id_metadata_document_supported: true };
  const document = await show(scene, own, { metadataUrl });
  assert.deepEqual(
    [document.way, document.clientId, document.redirectUri, document.authMethod],
    ['metadata', metadataUrl, 'http://127.0.0.1/callback', 'none'],
  );
  const { issuer } = own.issuer;
  const clients = [{ clientId: 'mine', issuer, secret: undefined, redirectUri: 'http://127.0.0.1:8765/callback' }];
  const byHand = await show(scene, own, { metadataUrl, clients });
  assert.deepEqual(
    [byHand.way, byHand.clientId, byHand.redirectUri],
    ['preregistered', 'mine', clients[0]?.redirectUri],
  );
  assert.deepEqual([own.issuer.registrations, own.issuer.authorizations, scene.ports.opened], [[], [], []]);
});

test('[R-4.6a][R-2.3c] what a login then sends is what was shown: the kept registration, the fixed port, the key', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await scene.login({ server: own.server.url });
  const again = await show(scene, own);
  assert.equal(again.clientId, own.issuer.authorizations[0]?.get('client_id'));
  assert.equal(again.redirectUri, own.issuer.authorizations[0]?.get('redirect_uri'));

  own.issuer.metadata = { ...own.issuer.metadata, client_id_metadata_document_supported: true };
  await keysFor(scene.ports, metadataUrl, scene.ports.store);
  await scene.login({ server: own.server.url, metadataUrl, redirectPort: 29_173 });
  const shown = await show(scene, own, { metadataUrl });
  assert.deepEqual([shown.redirectUri, shown.authMethod], ['http://127.0.0.1:29173/callback', 'private_key_jwt']);
  await scene.login({ server: own.server.url, metadataUrl });
  const last = own.issuer.authorizations.at(-1);
  assert.deepEqual([last?.get('client_id'), last?.get('redirect_uri')], [shown.clientId, shown.redirectUri]);
  assert.ok(own.issuer.forms.at(-1)?.fields.get('client_assertion'));
});
