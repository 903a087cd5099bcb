import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { checkDocument } from '../../src/client-metadata/check.js';
import { forgetOldKeys, keysFor, retireKey, rotateKey } from '../../src/client-metadata/keys.js';
import { logout } from '../../src/login/logout/logout.js';
import { type DocumentSettings, writeDocument } from '../../src/oauth/client-metadata/write-document.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { type DocumentScene, openDocumentScene } from '../support/flows/document-scene.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { needs } from '../support/needs.js';

const skip = needs('openssl');
const { signal } = new AbortController();
const path = 'client-metadata/client.json';

/** One host for the file: each test publishes what it needs, and opens sandboxes that have fetched nothing. */
let documents: DocumentScene;

before(async () => {
  if (skip === false) documents = await openDocumentScene();
});

after(() => documents?.[Symbol.asyncDispose]());

/** The assertions that the token endpoint got, oldest first. */
function assertionsAt(scene: Scene): readonly string[] {
  return scene.sandbox.requests
    .filter(({ path: at }) => at.endsWith('/token'))
    .map(({ params }) => new Map(params).get('client_assertion') ?? '');
}

const settingsFor = (url: string, keys: DocumentSettings['keys']): DocumentSettings => ({
  url,
  name: 'postern',
  contact: undefined,
  keys,
});
const kidsOf = (keys: DocumentSettings['keys']) => keys.map((key) => key['kid']);
const usedKids = (scene: Scene) => assertionsAt(scene).map((one) => decodeProtectedHeader(one).kid);

test('[R-2.3c][A-62] private_key_jwt with the published key: aud is the issuer alone, short life, a fresh jti each time', {
  skip,
}, async () => {
  const { url } = documents;
  await using scene = await documents.open();
  const keys = await keysFor(scene.ports, url, scene.ports.store);
  assert.deepEqual(await keysFor(scene.ports, url, scene.ports.store), keys, 'made once');
  documents.publish(keys);
  const login = await scene.login({ metadataUrl: url });
  assert.deepEqual([login.registration, login.clientId], ['metadata', url]);
  await scene.login({ metadataUrl: url });
  const claims = assertionsAt(scene).map((assertion) => decodeJwt(assertion));
  assert.equal(claims.length, 2);
  for (const { iss, sub, aud, exp = 0, iat = 0 } of claims) {
    assert.deepEqual([iss, sub, aud], [url, url, scene.sandbox.issuer]);
    assert.ok(exp - iat <= 60);
  }
  assert.notEqual(claims[0]?.jti, claims[1]?.jti);
  assert.deepEqual(usedKids(scene), [...kidsOf(keys), ...kidsOf(keys)]);
});

test('[R-2.3c][R-5.8a] a login made before a rotation is refreshed after it has ended, and revoked, with the new key', {
  skip,
}, async () => {
  const { url } = documents;
  await using scene = await documents.open();
  const { ports } = scene;
  const before = settingsFor(url, await keysFor(ports, url, ports.store));
  documents.publish(before.keys, 'no-store');
  const login = await scene.login({ metadataUrl: url });
  await failureOf(retireKey(ports, { settings: before, path }), 'nothing_to_retire');
  const during = await rotateKey(ports, { settings: before, path, store: ports.store });
  documents.publish(during.keys, 'no-store');
  await scene.login({ metadataUrl: url, account: 'other' });
  const after = await retireKey(ports, { settings: during, path });
  assert.deepEqual(kidsOf(after.keys), kidsOf(during.keys).slice(0, 1));
  assert.equal(await forgetOldKeys(ports, after, signal), 1);
  documents.publish(after.keys, 'no-store');

  ports.advance(400_000);
  const count = usedKids(scene).length;
  await validToken(ports, { login, minLifeMs: 60_000, rejected: undefined, signal });
  assert.deepEqual(usedKids(scene).slice(count), kidsOf(after.keys));
  const { revocation } = await logout(ports, { login, force: false, signal });
  assert.deepEqual(revocation, { done: true });
});

test('[R-2.3c][R-4.6a] a document with a key is passed over where the token endpoint takes no keys', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const metadataUrl = 'https://me.postern/client.json';
  await keysFor(scene.ports, metadataUrl, scene.ports.store);
  own.issuer.metadata = {
    ...own.issuer.metadata,
    client_id_metadata_document_supported: true,
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
  };
  const wish = { server: own.server.url, metadataUrl };
  assert.equal((await scene.login(wish)).registration, 'dynamic');
  const failure = await scene.loginFails('registration_way_closed', { ...wish, registration: 'metadata' });
  assert.match(failure.message, /takes no private_key_jwt/);
});

test('[A-57][A-62] the key of a document signs for that document alone: at another address nothing is known of it', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  await keysFor(scene.ports, 'https://me.postern/client.json', scene.ports.store);
  own.issuer.metadata = { ...own.issuer.metadata, client_id_metadata_document_supported: true };
  await scene.login({ server: own.server.url, metadataUrl: 'https://other.postern/client.json' });
  const fields = own.issuer.forms[0]?.fields;
  assert.equal(fields?.get('client_id'), 'https://other.postern/client.json');
  assert.equal(fields?.has('client_assertion'), false);
});

test('[R-2.3c] check tells when the keys of a document and those kept on this machine do not go together', async () => {
  await using scene = await openScene();
  const { ports } = scene;
  const url = 'https://me.postern/client.json';
  const codes = async (keys: DocumentSettings['keys']) => {
    const file = new TextEncoder().encode(writeDocument(settingsFor(url, keys)));
    const { findings } = await checkDocument(ports, { file, url: undefined, offline: true, signal });
    return findings.map(({ verdict, code }) => `${verdict} ${code}`);
  };
  assert.deepEqual(await codes([]), []);
  const keys = await keysFor(ports, url, ports.store);
  assert.deepEqual(await codes(keys), []);
  assert.deepEqual(await codes([]), ['warning key_unpublished']);
  assert.equal(await forgetOldKeys(ports, settingsFor(url, []), signal), 1);
  assert.deepEqual(await codes(keys), ['warning key_not_here']);
});
