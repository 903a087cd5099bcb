import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { logout } from '../../src/login/logout/logout.js';
import { encodeCredential } from '../../src/stores/credential-item.js';
import { storeFailed } from '../../src/stores/keychain/failures.js';
import { recover, sealResponse } from '../../src/tokens/keep-refreshed.js';
import { readCredential } from '../../src/tokens/read-credential.js';
import { validToken } from '../../src/tokens/valid-token.js';
import type { FlowOptions } from '../support/flow-ports.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { createMemoryStore, type LoginRecord, type Secret } from '../support/product.js';

const { signal } = new AbortController();

const wanted = (login: LoginRecord) => ({ login, minLifeMs: 60_000, rejected: undefined, signal });
const ask = (scene: Scene, login: LoginRecord) => validToken(scene.ports, wanted(login));

/** A login that is kept, at servers of the test's own. */
async function openKept(flow: Partial<FlowOptions> = {}) {
  const [scene, own] = [await openScene({}, flow), await openOwnScene()];
  const end = async () => {
    await scene[Symbol.asyncDispose]();
    await own[Symbol.asyncDispose]();
  };
  return { scene, own, login: await keepLogin(scene, own), [Symbol.asyncDispose]: end };
}

const fileOf = (scene: Scene, { key }: LoginRecord) => `${scene.folder}/state/recovery/${key}.sealed`;

test('[R-5.8b][A-136] the answer is sealed before the store is asked to write it, and the file goes after that', async () => {
  const memory = createMemoryStore();
  const seen: boolean[] = [];
  let file: string | undefined;
  const write = async (key: string, value: Secret) => {
    if (file !== undefined) seen.push(existsSync(file));
    await memory.write(key, value);
  };
  await using at = await openKept({ store: { ...memory, write } });
  const { scene, login } = at;
  scene.ports.advance(299_000);
  file = fileOf(scene, login);
  await ask(scene, login);
  assert.deepEqual(seen, [true], 'sealed first');
  assert.deepEqual(await readdir(`${scene.folder}/state/recovery`), [], 'and nothing is left');
});

test('without rotation what the store has already is not taken for newer, and goes', async () => {
  const memory = createMemoryStore();
  await using at = await openKept({ store: memory });
  const { scene, own, login } = at;
  const { onToken } = own.issuer;
  own.issuer.onToken = (form) => [200, { ...onToken(form)[1], refresh_token: undefined }];
  scene.ports.advance(299_000);
  // Killed after the store had it, and before the file was gone.
  const { recovery } = scene.ports;
  const forget = async () => undefined;
  await validToken({ ...scene.ports, recovery: { ...recovery, forget } }, wanted(login));
  const item = await memory.read(login.key);
  assert.ok(existsSync(fileOf(scene, login)));
  const forms = own.issuer.forms.length;
  await ask(scene, login);
  assert.equal(existsSync(fileOf(scene, login)), false);
  assert.equal((await memory.read(login.key))?.reveal(), item?.reveal());
  assert.equal(own.issuer.forms.length, forms);
});

test('[A-136] a token that lives is handed out though a newer one waits: another process has it in hand, or the store takes nothing', async () => {
  await using at = await sealedScene();
  const { scene, login, store } = at;
  scene.ports.advance(-200_000); // the older one lives on
  const { accessToken: older } = await ask(scene, login);
  assert.ok(existsSync(fileOf(scene, login)), 'the store takes nothing');
  store.broken = false;
  {
    await using _writer = await scene.ports.locks.acquire(login.key, { waitMs: 0, signal });
    assert.equal((await ask(scene, login)).accessToken.reveal(), older.reveal());
    assert.ok(existsSync(fileOf(scene, login)), 'nobody takes it from its writer');
  }
  assert.notEqual((await ask(scene, login)).accessToken.reveal(), older.reveal(), 'the next one moves it');
  assert.equal(existsSync(fileOf(scene, login)), false);
});

/** A login whose refresh went well, and whose store failed then. */
async function sealedScene() {
  const memory = createMemoryStore();
  const store = { ...memory, broken: false };
  store.write = async (key, value) => {
    if (store.broken) throw storeFailed('write', new Error('no'));
    await memory.write(key, value);
  };
  const at = await openKept({ store });
  const { scene, login } = at;
  const spent = await memory.read(login.key);
  scene.ports.advance(299_000);
  store.broken = true;
  await failureOf(ask(scene, login), 'refresh_not_stored');
  assert.ok(existsSync(fileOf(scene, login)));
  return { ...at, store, spent };
}

test('[A-138][A-136] a store that fails after the refresh loses nothing: the next use moves the sealed credential there', async () => {
  await using at = await sealedScene();
  const { scene, own, login, store } = at;
  const forms = own.issuer.forms.length;
  await failureOf(ask(scene, login), 'refresh_not_stored');
  assert.ok(existsSync(fileOf(scene, login)), 'kept for as long as the store fails');
  store.broken = false;
  const { accessToken } = await ask(scene, login);
  assert.equal(own.issuer.forms.length, forms, 'no second refresh: the spent refresh token is not used again');
  assert.ok((await store.read(login.key))?.reveal().includes(accessToken.reveal()));
  assert.equal(existsSync(fileOf(scene, login)), false);
  scene.ports.advance(299_000);
  await ask(scene, login);
  assert.equal(own.issuer.forms.at(-1)?.fields.get('refresh_token'), 'refresh-2', 'the newest one');
  assert.equal((await scene.ports.index.read()).logins[0]?.dead, undefined);
});

test('[A-152] a logout revokes the sealed credential, not the spent one, and leaves no file', async () => {
  await using at = await sealedScene();
  const { scene, own, login, spent } = at;
  let revoked = '';
  own.issuer.onRevocation = (fields) => {
    revoked = fields.get('token') ?? '';
    return [200, {}];
  };
  const { revocation } = await logout(scene.ports, { login, force: false, signal });
  assert.equal(revocation.done, true);
  assert.equal(existsSync(fileOf(scene, login)), false);
  assert.notEqual(revoked, '');
  assert.equal(spent?.reveal().includes(revoked), false);
});

/** A login by somebody whom the authorization server names, and answers to its refresh. */
async function subjectScene() {
  const at = await openKept();
  const { scene, login: record } = at;
  const stored = { ...(await readCredential(scene.ports, record)), subject: 'ann' };
  await scene.ports.store.write(record.key, encodeCredential(stored));
  const { issuer: iss, clientId: aud } = stored.binding;
  const idToken = (sub: string) =>
    [{ alg: 'none' }, { iss, aud, sub }, {}]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
  const answer = (sub: string, change: object = {}) =>
    JSON.stringify({
      access_token: 'sealed-access',
      token_type: 'Bearer',
      expires_in: 300,
      id_token: idToken(sub),
      ...change,
    });
  return { ...at, stored, answer };
}

test('[A-136] a sealed answer is judged when it is found as one that has just come: for whom it is, of which login, and whether it is one', async () => {
  await using at = await subjectScene();
  const { scene, login, stored, answer } = at;
  const { recovery, clock } = scene.ports;
  assert.ok(stored.refreshToken);
  const found = async (body: string, generation = stored.generation) => {
    await using refresh = await recovery.begin(login.key, { bytes: 100, spent: stored.refreshToken });
    void sealResponse(refresh, { ...stored, generation }, { body: Buffer.from(body), now: clock.now() });
    const credential = await recover(scene.ports, login, stored);
    assert.equal(existsSync(fileOf(scene, login)), credential !== undefined, 'of no use, it goes');
    return credential?.accessToken.reveal();
  };
  assert.equal(await found(answer('ann')), 'sealed-access');
  assert.equal(await found(answer('bob')), undefined, 'for somebody else');
  assert.equal(await found(answer('ann'), stored.generation + 1), undefined, 'of another login');
  assert.equal(
    await found(answer('ann', { access_token: stored.accessToken.reveal() })),
    undefined,
    'the store has it',
  );
  assert.equal(await found('{"error":"invalid_grant"}'), undefined);
  assert.equal(await found('no JSON'), undefined);
});

test('[A-136] an answer that turns out to be no token, or for somebody else, leaves nothing sealed', async () => {
  await using at = await subjectScene();
  const { scene, login, answer } = at;
  scene.ports.advance(301_000);
  for (const body of ['{"token_type":"Bearer"}', 'no JSON', answer('bob')]) {
    const send: typeof scene.ports.http.send = async (request) => {
      const response = await scene.ports.http.send(request);
      return request.method === 'POST' ? { ...response, status: 200, bytes: async () => Buffer.from(body) } : response;
    };
    const ports = { ...scene.ports, http: { ...scene.ports.http, send } };
    await failureOf(validToken(ports, wanted(login)), 'token_unusable');
    assert.deepEqual(await readdir(`${scene.folder}/state/recovery`), [], body);
  }
});

test('[A-148] a new login takes the place of the sealed credential', async () => {
  await using at = await sealedScene();
  const { scene, own, login: held, store } = at;
  store.broken = false;
  const login = await scene.login({ server: held.server });
  assert.equal(existsSync(fileOf(scene, login)), false);
  const forms = own.issuer.forms.length;
  await ask(scene, login);
  assert.equal(own.issuer.forms.length, forms);
});
