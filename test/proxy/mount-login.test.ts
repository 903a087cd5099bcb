import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logout } from '../../src/login/logout/logout.js';
import type { ProxyMount } from '../../src/proxy/ports.js';
import { Authorizer } from '../../src/tokens/authorizer.js';
import { personOf } from '../../src/tokens/step-up.js';
import { TokenInUse } from '../../src/tokens/token-in-use.js';
import { stepUp } from '../support/flows/calls.js';
import { loggedInOnce, openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { Failure, type LoginRecord, type Relogin } from '../support/product.js';
import { ask, openStand } from './stand.js';

const { signal } = new AbortController();
const loggedIn = loggedInOnce();

interface TestMount extends ProxyMount {
  readonly tokens: TokenInUse;
  token(): ReturnType<TokenInUse['current']>;
}

function mountFor(scene: Scene, login: LoginRecord, relogin?: Relogin): TestMount {
  const { server } = login;
  const tokens = new TokenInUse(scene.ports, { meant: login, login, person: personOf(relogin), signal });
  return {
    name: 'm',
    server,
    authorizer: new Authorizer(tokens),
    policy: undefined,
    tokens,
    token: () => tokens.current({ url: server }),
  };
}

const refreshes = (scene: Scene) =>
  scene.sandbox.requests.filter(({ params }) => params.some(([, value]) => value === 'refresh_token')).length;

test('two hundred requests at the moment of expiry make one refresh', async () => {
  await using scene = await openScene({ accessTokenSeconds: 600 });
  const login = await scene.login();
  const mount = mountFor(scene, login);
  const first = await mount.token();
  assert.equal(mount.token(), first, 'at once, the second time');
  scene.ports.advance(550_000);
  const before = refreshes(scene);
  const tokens = await Promise.all(Array.from({ length: 200 }, () => mount.token()));
  assert.equal(refreshes(scene) - before, 1);
  assert.equal(new Set(tokens.map((token) => token?.accessToken.reveal())).size, 1);
  assert.notEqual(tokens[0]?.accessToken.reveal(), first?.accessToken.reveal());
});

test('a token that the server refuses is replaced once for all who hold it, and three times within a minute at most [A-256]', async () => {
  await using scene = await openScene();
  const mount = mountFor(scene, await scene.login());
  const old = await mount.token();
  const before = refreshes(scene);
  const renewed = await Promise.all(Array.from({ length: 100 }, () => mount.tokens.replace(old)));
  assert.equal(refreshes(scene) - before, 1);
  const [fresh] = renewed;
  assert.ok(fresh !== undefined && fresh.accessToken.reveal() !== old?.accessToken.reveal());
  assert.equal(
    (await mount.tokens.replace(old)).accessToken.reveal(),
    fresh.accessToken.reveal(),
    'who comes late gets the one that there is',
  );
  const third = await mount.tokens.replace(await mount.tokens.replace(fresh));
  await failureOf(mount.tokens.replace(third), 'token_refused');
  assert.equal(refreshes(scene) - before, 3);
  scene.ports.advance(61_000);
  const later = await mount.tokens.replace(third);
  assert.notEqual(later.accessToken.reveal(), third.accessToken.reveal(), 'a minute later it may be');
});

test('a logout ends it within seconds, and a new login is taken up as soon as it is there [A-232]', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const mount = mountFor(scene, login);
  await using stand = await openStand(mount);
  assert.equal((await ask(stand, stand.at(), { method: 'POST', body: '{}' })).code, undefined);
  await logout(scene.ports, { login, force: false, signal });
  scene.ports.advance(6_000);
  const without = await ask(stand, stand.at(), { method: 'POST', body: '{}' });
  assert.deepEqual([without.status, without.code], [503, 'login_needed']);
  assert.deepEqual(scene.ports.opened.length, 1, 'no browser but that of the login');
  await scene.login();
  scene.ports.advance(2_000);
  assert.equal((await ask(stand, stand.at(), { method: 'POST', body: '{}' })).code, undefined);
});

test('after a logout, what was held is never sent again, even where the next login looks like the one before [A-232]', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const mount = mountFor(scene, login);
  const first = (await mount.token())?.accessToken.reveal();
  await logout(scene.ports, { login, force: false, signal });
  const next = await scene.login();
  assert.deepEqual([next.key, next.generation], [login.key, login.generation]);
  scene.ports.advance(6_000);
  assert.notEqual((await mount.token())?.accessToken.reveal(), first);
});

test('where a person can be asked, a login that is over is made anew, once for all who wait', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  let asked = 0;
  const mount = mountFor(scene, login, async () => {
    asked += 1;
    return scene.login();
  });
  await mount.token();
  await logout(scene.ports, { login, force: false, signal });
  scene.ports.advance(6_000);
  const tokens = await Promise.all(Array.from({ length: 50 }, () => mount.token()));
  assert.deepEqual([asked, new Set(tokens.map((token) => token?.accessToken.reveal())).size], [1, 1]);
});

test('a person who said no is not asked again by each request [A-256]', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  let asked = 0;
  const no = new Failure({ code: 'denied', exit: 4, message: 'no', remedy: '' });
  const mount = mountFor(scene, login, async () => {
    asked += 1;
    throw no;
  });
  await logout(scene.ports, { login, force: false, signal });
  for (let at = 0; at < 5; at += 1) await assert.rejects(Promise.resolve(mount.token()), no);
  assert.equal(asked, 1);
  scene.ports.advance(31_000);
  await assert.rejects(Promise.resolve(mount.token()), no);
  assert.equal(asked, 2);
});

const noteAdd = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name: 'note_add', arguments: { text: 'hello' } },
});
const initialize = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

test('missing scope is asked for where somebody can be asked, else the caller gets a 403 without a challenge [A-223] [A-162]', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  await using alone = await openStand(mountFor(scene, login));
  const begun = await ask(alone, alone.at(), { method: 'POST', headers, body: initialize });
  const session = { 'mcp-session-id': String(begun.headers['mcp-session-id']) };
  const post = { method: 'POST', headers: { ...headers, ...session }, body: noteAdd };
  const refused = await ask(alone, alone.at(), post);
  assert.deepEqual([refused.status, refused.code], [403, 'insufficient_scope']);
  assert.equal(refused.headers['www-authenticate'], undefined);
  let asked = 0;
  const relogin: Relogin = async (...args) => {
    asked += 1;
    return stepUp(scene)(...args);
  };
  await using attended = await openStand(mountFor(scene, login, relogin));
  const both = await Promise.all([ask(attended, attended.at(), post), ask(attended, attended.at(), post)]);
  assert.equal(asked, 1);
  for (const answer of both) assert.notEqual(answer.status, 403, answer.body);
});

test('[A-165] a plain refusal is the caller’s', async () => {
  await using scene = await loggedIn();
  scene.sandbox.setFaults(['server-403-html']);
  await using stand = await openStand(mountFor(scene, scene.held));
  const answer = await ask(stand, stand.at(), { method: 'POST', headers, body: noteAdd });
  assert.deepEqual([answer.status, answer.code], [403, undefined]);
});

const widening = ['Bearer error="insufficient_scope", scope="notes:write"'];

test('whoever is refused with a token that another request has widened already gets that one: nobody is asked twice [A-162]', async () => {
  await using scene = await loggedIn();
  const relogin = stepUp(scene);
  const { server, authorizer } = mountFor(scene, scene.held, relogin);
  const target = { url: server, method: 'POST', operation: () => 'POST / note_add', repeatable: () => true };
  const old = await authorizer.authorize(target);
  const refused = (challenges: readonly string[]) => authorizer.retry(old, { status: 403, challenges });
  assert.equal(refused(['Bearer error="invalid_request"']), undefined);
  const first = await refused(widening);
  const late = await refused(widening);
  assert.ok(first?.token !== undefined && first.token.own[0]?.value.reveal() !== old.token?.own[0]?.value.reveal());
  assert.equal(late?.token?.own[0]?.value.reveal(), first.token.own[0]?.value.reveal());
  assert.equal(relogin.count, 1);
});

test('[A-78] a login no token of which has worked is not made anew by itself when its token is refused', async () => {
  await using scene = await openScene();
  let asked = 0;
  const login = await scene.login();
  const mount = mountFor(scene, login, async () => {
    asked += 1;
    return scene.login();
  });
  const token = await mount.token();
  scene.sandbox.setFaults(['refresh-invalid-grant']);
  const refused = (error: unknown) => error instanceof Failure && error.code === 'token_refused';
  await assert.rejects(mount.tokens.replace(token), refused);
  assert.equal(asked, 0, 'no tab for a token that never worked');
});

test('that a token works is noted once, and not with each of its requests', async () => {
  await using scene = await loggedIn();
  const { attempts } = scene.ports;
  let noted = 0;
  const forget = async (what: string): Promise<void> => {
    noted += 1;
    await attempts.forget(what);
  };
  const ports = Object.assign(Object.create(scene.ports), { attempts: { ...attempts, forget } });
  await using stand = await openStand(mountFor({ ...scene, ports }, scene.held));
  const post = { method: 'POST', headers, body: initialize };
  assert.equal((await ask(stand, stand.at(), post)).status, 200);
  const once = noted;
  assert.ok(once > 0, 'it is noted that a token works');
  for (let at = 0; at < 3; at += 1) await ask(stand, stand.at(), post);
  assert.equal(noted, once);
});
