import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey, randomBytes, verify } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openOwnScene } from '../support/flows/own-scene.js';
import { makeHome } from '../support/home.js';
import { runHere } from '../support/in-process.js';
import { findSecrets } from '../support/secrets-search.js';

type PublicKey = JsonWebKey & { readonly kid: string; readonly alg: string };

const json = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

/** The key among those registered that signed this assertion. */
function signerOf(assertion: string, registered: readonly PublicKey[]): PublicKey | undefined {
  const [header, payload, signature = ''] = assertion.split('.');
  const { kid, alg } = json(header);
  const key = registered.find((one) => one.kid === kid && one.alg === alg);
  const options = key && { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const };
  const signed = Buffer.from(`${header}.${payload}`);
  return options && verify('sha256', signed, options, Buffer.from(signature, 'base64url')) ? key : undefined;
}

/** A home with sealed files, and an authorization server that knows the client `robot` by its registered keys. */
async function openScene() {
  const own = await openOwnScene();
  const home = await makeHome();
  const keyFile = join(home.path, 'store-key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o600 });
  const registered: PublicKey[] = [];
  const signers: (string | undefined)[] = [];
  const { onToken } = own.issuer;
  own.issuer.onToken = (form) => {
    const signer = signerOf(form.fields.get('client_assertion') ?? '', registered);
    signers.push(signer?.kid);
    return signer === undefined ? [401, { error: 'invalid_client' }] : onToken(form);
  };
  const env = { ...home.env, POSTERN_STORE_KEY_FILE: keyFile, POSTERN_STORE: 'file' };
  const run = (...args: string[]) => runHere({ ...home, env }, args);
  const words = ['login', own.server.url, '--client-credentials', '--client-id', 'robot'];
  return {
    own,
    home,
    run,
    login: (...args: string[]) => run(...words, ...args),
    registered,
    signers,
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test('[R-2.3c][R-5.8b] a key made for a client: public half printed, registered, used by the next login, changed, forgotten', async () => {
  await using scene = await openScene();
  const none = await scene.login();
  assert.equal(none.code, 2);
  assert.match(none.stderr, /made here, or a token of the platform: postern login --help/);

  const made = await scene.login('--generate-key');
  assert.equal(made.code, 0, made.stderr);
  const [first, ...more] = JSON.parse(made.stdout).keys;
  assert.deepEqual(more, []);
  assert.deepEqual(Object.keys(first).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  assert.match(made.stderr, /Register what was printed .* private_key_jwt/);
  assert.match(made.stderr, /Then run: postern login .* --client-credentials --client-id robot\n/);

  const early = await scene.login();
  assert.equal(early.code, 4, 'not registered yet');
  assert.match(early.stderr, /public half of its key .* is registered there/);
  assert.doesNotMatch(early.stderr, /dynamic/, 'nothing registers such a client from here');
  scene.registered.push(first);
  const login = await scene.login();
  assert.equal(login.code, 0, login.stderr);
  assert.deepEqual(scene.signers, [undefined, first.kid]);

  // Another kind of key: not registered yet, the first one still serves; once it is, the first one is forgotten.
  const again = await scene.login('--generate-key', '--key-algorithm', 'RS256', '--account', 'ci');
  assert.match(again.stderr, /Then run: postern login \S+ --account ci .*--client-credentials /);
  const [second, old] = JSON.parse(again.stdout).keys;
  assert.deepEqual([second.kty, second.alg, old.kid], ['RSA', 'RS256', first.kid]);
  assert.equal((await scene.login()).code, 0);
  assert.deepEqual(scene.signers.slice(2), [undefined, first.kid]);
  scene.registered.unshift(second);
  assert.equal((await scene.login()).code, 0);
  assert.equal(scene.signers.at(-1), second.kid);
  const index = JSON.parse((await scene.run('status', '--json')).stdout);
  assert.deepEqual(
    index.clientKeys.map(({ keyId }: { keyId: string }) => keyId),
    [second.kid],
  );

  const token = await scene.run('token', scene.own.server.url);
  assert.match(token.stdout, /^access-/);
  const ended = await scene.run('logout', '--all', '--yes');
  assert.equal(ended.code, 0, ended.stderr);
  const after = JSON.parse((await scene.run('status', '--json')).stdout);
  assert.deepEqual([after.logins, after.clientKeys], [[], []]);
  const leaks = { kids: first.kid, token: token.stdout.trim() };
  assert.deepEqual(await findSecrets(leaks, { folders: [join(scene.home.path, 'state')], texts: {} }), []);
});

test('a server that takes no keys: none is made; without a client, or with a proof, neither', async () => {
  await using scene = await openScene();
  scene.own.issuer.metadata = {
    ...scene.own.issuer.metadata,
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  };
  const refused = await scene.login('--generate-key');
  assert.deepEqual([refused.code, refused.stdout], [5, '']);
  assert.match(refused.stderr, /private_key_jwt/);
  const anonymous = await scene.run('login', scene.own.server.url, '--generate-key');
  assert.equal(anonymous.code, 2);
  assert.match(anonymous.stderr, /needs --client-credentials/);
  const nameless = await scene.run('login', scene.own.server.url, '--generate-key', '--client-credentials');
  assert.equal(nameless.code, 2);
  assert.match(nameless.stderr, /--client-id ID/);
  assert.equal((await scene.login('--generate-key', '--client-key-file', '/dev/null')).code, 2);
  const status = JSON.parse((await scene.run('status', '--json')).stdout);
  assert.deepEqual(status.clientKeys, []);
});

test('logout --all keeps the key of a document, and says how that one is removed', async () => {
  await using scene = await openScene();
  const out = (name: string) => ['--out', join(scene.home.path, name)];
  const init = ['client-metadata', 'init', '--url', 'https://me.postern/client.json'];
  assert.equal((await scene.run(...init, ...out('with'), '--auth', 'private_key_jwt')).code, 0);
  const ended = await scene.run('logout', '--all', '--yes');
  assert.equal(ended.code, 0, ended.stderr);
  assert.match(ended.stderr, /documents are kept: .*postern client-metadata init --url ADDRESS --out/);
  const kept = async () => JSON.parse((await scene.run('status', '--json')).stdout).clientKeys.length;
  assert.equal(await kept(), 1);
  assert.equal((await scene.run(...init, ...out('without'))).code, 0);
  assert.equal(await kept(), 0);
});
