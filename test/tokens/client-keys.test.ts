import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { moveStore } from '../../src/login/move/move.command.js';
import { clientAuthentication } from '../../src/oauth/client-authentication.js';
import {
  clientKeysOf,
  encodeClientKey,
  generateClientKey,
  readClientKey,
  removeClientKey,
} from '../../src/tokens/client-keys.js';
import { flowPorts } from '../support/flow-ports.js';
import { failureOf } from '../support/http.js';
import { createMemoryStore, Secret, type SecretStore, type SecretStores } from '../support/product.js';
import { temporaryFolder } from '../support/temporary.js';

const { signal } = new AbortController();
const issuer = 'https://as.example';
const owner = { issuer, clientId: 'robot' };

async function openShelf() {
  const folder = await temporaryFolder();
  const flow = await flowPorts({ folder: folder.path });
  const kinds = new Map<string, SecretStore>();
  const stores: SecretStores = {
    of: (kind) => {
      const store = kinds.get(kind) ?? { ...createMemoryStore(), kind };
      kinds.set(kind, store);
      return store;
    },
  };
  return {
    ports: { ...flow, stores },
    stores,
    [Symbol.asyncDispose]: async () => {
      await flow[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('[R-2.3c] a key made here signs what its public half verifies, for the issuer, named by kid', async () => {
  await using shelf = await openShelf();
  const algorithm = 'ES256';
  const store = shelf.stores.of('file');
  const { record } = await generateClientKey(shelf.ports, { ...owner, algorithm, store });
  const [newest] = await clientKeysOf(shelf.ports, owner);
  assert.deepEqual({ ...newest }, record);
  const key = await readClientKey(shelf.ports, record);
  const { d, p, q, dp, dq, qi, ...shown } = key.publicJwk;
  assert.deepEqual([d, p, q, dp, dq, qi], Array(6).fill(undefined), 'nothing private in the public half');
  assert.deepEqual([shown['kid'], shown['alg'], shown['use']], [record.keyId, algorithm, 'sig']);

  const form = new URLSearchParams();
  const method = 'private_key_jwt';
  const authenticate = await clientAuthentication({ clientId: 'robot', method, secret: key.privateJwk });
  await authenticate({ issuer }, { client_id: 'robot' }, form, new Headers());
  const assertion = form.get('client_assertion') ?? '';
  assert.equal(decodeProtectedHeader(assertion).kid, record.keyId);
  const verified = await jwtVerify(assertion, await importJWK({ ...key.publicJwk }, algorithm));
  assert.deepEqual([verified.payload.iss, verified.payload.aud], ['robot', issuer]);
});

test('a key is found by its own issuer and client alone, a document’s by no issuer', async () => {
  await using shelf = await openShelf();
  const store = shelf.stores.of('keychain');
  const make = (of: { issuer: string | undefined; clientId: string }) =>
    generateClientKey(shelf.ports, { ...of, algorithm: 'ES256', store });
  const first = await make(owner);
  const second = await make(owner);
  const document = await make({ issuer: undefined, clientId: 'https://me.example/client.json' });
  const idsOf = async (of: Parameters<typeof clientKeysOf>[1]) =>
    (await clientKeysOf(shelf.ports, of)).map(({ keyId }) => keyId);
  assert.deepEqual(await idsOf(owner), [second.record.keyId, first.record.keyId]);
  assert.deepEqual(await idsOf({ ...owner, issuer: 'https://other.example' }), []);
  assert.deepEqual(await idsOf({ ...owner, issuer: undefined }), []);
  const ofDocument = { issuer: undefined, clientId: 'https://me.example/client.json' };
  assert.deepEqual(await idsOf(ofDocument), [document.record.keyId]);
});

test('it moves with everything else, and leaves nothing behind when it is removed', async () => {
  await using shelf = await openShelf();
  const store = shelf.stores.of('keychain');
  const { record } = await generateClientKey(shelf.ports, { ...owner, algorithm: 'ES256', store });
  assert.deepEqual((await moveStore(shelf.ports, { to: 'file', signal })).moved, 1);
  assert.equal(await store.read(record.key), undefined);
  const [moved] = await clientKeysOf(shelf.ports, owner);
  assert.equal(moved?.store, 'file');
  assert.ok(moved);
  assert.equal((await readClientKey(shelf.ports, moved)).keyId, record.keyId);
  await removeClientKey(shelf.ports, moved, signal);
  assert.deepEqual(await clientKeysOf(shelf.ports, owner), []);
  assert.equal(await shelf.stores.of('file').read(record.key), undefined);
});

test('[A-200][A-58] a key that is gone, or swapped for another one, another issuer’s or client’s, is told and not used', async () => {
  await using shelf = await openShelf();
  const store = shelf.stores.of('keychain');
  const make = () => generateClientKey(shelf.ports, { ...owner, algorithm: 'ES256', store });
  const [one, other] = [await make(), await make()];
  await store.write(one.record.key, (await store.read(other.record.key)) ?? new Secret(''));
  const swapped = await failureOf(readClientKey(shelf.ports, one.record), 'credential_corrupt');
  assert.equal(swapped.exit, 7);
  const key = await readClientKey(shelf.ports, other.record);
  const { keyId } = key;
  for (const binding of [
    { ...owner, issuer: 'https://other.example', keyId },
    { ...owner, issuer: undefined, keyId },
    { ...owner, clientId: 'somebody-else', keyId },
    { ...owner, keyId: one.record.keyId },
  ]) {
    await store.write(other.record.key, encodeClientKey(binding, key));
    await failureOf(readClientKey(shelf.ports, other.record), 'credential_corrupt');
  }
  await store.write(other.record.key, encodeClientKey({ ...owner, keyId }, key));
  assert.equal((await readClientKey(shelf.ports, other.record)).keyId, keyId);
  for (const text of ['', '{}', '[1]', '{"version":1,"privateJwk":{"d":"canary"}}']) {
    await store.write(one.record.key, new Secret(text));
    const damaged = await failureOf(readClientKey(shelf.ports, one.record), 'credential_corrupt');
    assert.doesNotMatch(damaged.message, /canary/);
  }
  await store.remove(one.record.key);
  await failureOf(readClientKey(shelf.ports, one.record), 'client_key_gone');
});
