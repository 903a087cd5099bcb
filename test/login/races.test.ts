import assert from 'node:assert/strict';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { login } from '../../src/login/log-in.js';
import { logout } from '../../src/login/logout/logout.js';
import { loginTogether } from '../../src/login/one-login-at-a-time.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginPorts, LoginRecord } from '../support/product.js';

const { signal } = new AbortController();

const fresh = (ports: LoginPorts, login: LoginRecord) =>
  validToken(ports, { login, minLifeMs: 60_000, rejected: undefined, signal });

interface HeldBack {
  readonly ports: LoginPorts;
  /** Resolves when the answer to a refresh has come, which its asker has not seen yet. */
  readonly answered: Promise<void>;
  /** Lets the asker see it. */
  readonly release: () => void;
}

/** The same machine, as a second process has it; the answer to its refresh is late. */
function withLateRefresh(ports: LoginPorts): HeldBack {
  const { promise: answered, resolve: tell } = newPromise();
  const { promise: released, resolve: release } = newPromise();
  const { http } = ports;
  const send: typeof http.send = async (request) => {
    const response = await http.send(request);
    if (String(request.body).includes('grant_type=refresh_token')) {
      tell();
      await released;
    }
    return response;
  };
  return { ports: { ...ports, http: { ...http, send } }, answered, release };
}

function newPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Resolves when somebody of this scene asks for the lock of that credential. */
function lockAsked(scene: Scene, key: string): Promise<void> {
  const { promise, resolve } = newPromise();
  const { locks } = scene.ports;
  const acquire: typeof locks.acquire = (name, options) => {
    if (name === key) resolve();
    return locks.acquire(name, options);
  };
  Object.assign(scene.ports, { locks: { acquire } });
  return promise;
}

test('[A-147] a refresh that comes after the logout sends nothing and brings nothing back', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  await logout(scene.ports, { login, force: false, signal });
  scene.ports.advance(299_000);
  const tokenRequests = own.issuer.forms.length;
  const failure = await failureOf(fresh(scene.ports, login), 'login_needed');
  assert.equal(failure.exit, 3);
  assert.equal(own.issuer.forms.length, tokenRequests);
  assert.equal(await scene.ports.store.read(login.key), undefined);
});

test('[A-148] a login that ends while an old refresh is under way: the new credential stays', async () => {
  await using scene = await openScene();
  const old = await scene.login();
  scene.ports.advance(299_000);
  const late = withLateRefresh(scene.ports);
  const refresh = fresh(late.ports, old);
  await late.answered;
  const asked = lockAsked(scene, old.key);
  const relogin = scene.login();
  await Promise.race([asked, relogin]);
  late.release();
  const [{ accessToken }, record] = await Promise.all([refresh, relogin]);
  assert.deepEqual([record.key, record.generation], [old.key, old.generation + 1]);
  const now = await fresh(scene.ports, record);
  assert.notEqual(now.accessToken.reveal(), accessToken.reveal());
  const item = (await scene.ports.store.read(record.key))?.reveal() ?? '';
  assert.ok(item.includes(`"generation":${record.generation}`), 'the newer generation is stored');
});

test('[A-148] a login with another client takes the old credential away, an old refresh under way notwithstanding', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const wish = { server: own.server.url };
  const old = await scene.login(wish);
  scene.ports.advance(299_000);
  const late = withLateRefresh(scene.ports);
  const refresh = fresh(late.ports, old);
  await late.answered;
  const asked = lockAsked(scene, old.key);
  const relogin = scene.login({ ...wish, registration: 'dynamic' });
  await Promise.race([asked, relogin]);
  late.release();
  const [, record] = await Promise.all([refresh, relogin]);
  assert.notEqual(record.key, old.key);
  assert.equal(await scene.ports.store.read(old.key), undefined, 'nothing brings the old one back');
  assert.deepEqual(
    (await scene.ports.index.read()).logins.map(({ key }) => key),
    [record.key],
  );
});

test('[A-109] two logins at once, for two servers: each has its own port, state and verifier, and its own answer', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const [one, other] = await Promise.all([scene.login(), scene.login({ server: own.server.url })]);
  assert.deepEqual([one.issuer, other.issuer], [scene.sandbox.issuer, own.issuer.issuer]);
  const asked = new Map(scene.sandbox.requests.find(({ path }) => path === '/authorize')?.params);
  for (const name of ['redirect_uri', 'state', 'code_challenge']) {
    assert.notEqual(asked.get(name), own.issuer.authorizations[0]?.get(name), name);
  }
  assert.equal((await scene.ports.index.read()).logins.length, 2);
});

test('[A-109] two logins at once for the same server, as two accounts: every answer finds its own', async () => {
  await using scene = await openScene();
  const accounts = ['default', 'work'];
  const records = await Promise.all(
    accounts.map((account) => loginTogether(scene.ports, scene.request({ account }), undefined, login)),
  );
  assert.equal(scene.sandbox.stats.tokenRequests, 2);
  const { logins } = await scene.ports.index.read();
  assert.deepEqual(logins.map(({ account }) => account).sort(), ['default', 'work']);
  for (const { key } of logins) {
    assert.ok(records.some((record) => record.key === key));
    assert.ok((await scene.ports.store.read(key)) !== undefined, 'each record has its credential');
  }
});

/** What a browser does with one address; it follows nothing by itself. */
function visit(url: string): Promise<{ readonly location: string; readonly html: string }> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, headers: { 'sec-fetch-mode': 'navigate' } };
    get(url, options, async (response) => {
      resolve({ location: response.headers.location ?? '', html: await text(response) });
    }).once('error', reject);
  });
}

test('[A-93][A-112] a callback that comes twice within a moment, and again after success: one token request', async () => {
  let callback = '';
  const browse = async (link: string) => {
    const toServer = await visit(link);
    callback = (await visit(toServer.location)).location;
    await Promise.all([visit(callback), visit(callback)]);
  };
  await using scene = await openScene({}, { browse });
  await using own = await openOwnScene();
  await scene.login({ server: own.server.url });
  await visit(callback).catch(() => undefined);
  assert.match(callback, /code=code-/);
  assert.equal(own.issuer.forms.length, 1);
  assert.equal((await scene.ports.index.read()).logins.length, 1);
});
