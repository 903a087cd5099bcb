import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTransport } from '../../src/call/transport.js';
import { loginBrakes, stepUpBudget } from '../../src/tokens/budget.js';
import { stepUpDeclined } from '../../src/tokens/request-failures.js';
import { callTool, listTools, stepUp } from '../support/flows/calls.js';
import { keepLogin, openOwnScene } from '../support/flows/own-scene.js';
import { loggedInOnce, openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import { type Relogin, walkLogin } from '../support/product.js';

const loggedIn = loggedInOnce();

test('[Q-6.17][R-5.6b][A-163] three step-ups an hour for one operation, however often it is called', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  let asked = 0;
  own.server.whenAuthorized = (_, response) => {
    asked += 1;
    const challenge = `Bearer error="insufficient_scope", scope="more-${asked}"`;
    response.writeHead(403, { 'www-authenticate': challenge }).end();
  };
  await scene.login({ server: own.server.url });
  const relogin: Relogin = async ({ server, scopes: heldScopes }, scopes, begin) => {
    await begin();
    return scene.login({ server, scopes, heldScopes });
  };
  for (let calls = 0; calls < 3; calls += 1) {
    const [login] = (await scene.ports.index.read()).logins;
    assert.ok(login !== undefined);
    const failure = await failureOf(listTools(scene, login, relogin), 'scope_refused');
    assert.equal(failure.exit, 4);
    assert.equal(scene.ports.opened.length, 4, 'the login, and three step-ups; nobody is asked a fourth time');
  }
});

test('[A-163] operations with ever new names share one budget of their server: three step-ups in vain, then exit 4', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  scene.sandbox.setFaults(['server-403-treadmill']);
  const relogin = stepUp(scene);
  const { signal } = new AbortController();
  const transport = createTransport(scene.ports, { login, relogin, signal });
  const limits = { totalMs: 10_000, headersMs: 10_000, maxBytes: null };
  const send = (name: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
    return transport.send({ method: 'POST', url: login.server, body, limits, signal });
  };
  for (const name of ['one', 'two', 'three']) await assert.rejects(send(name));
  const failure = await failureOf(send('four'), 'too_many_step_ups');
  assert.equal(failure.exit, 4);
  assert.match(failure.remedy, /postern login http\S+ --scope /);
  assert.equal(relogin.count, 3);
});

test('[A-163] step-ups that helped are not in vain; ten an hour for one server are the end all the same', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const login = await keepLogin(scene, own);
  const budget = (operation: string) => stepUpBudget(scene.ports, { login, operation, scopes: ['more'] });
  for (let times = 0; times < 10; times += 1) {
    await budget(`operation ${times}`).begin();
    await budget(`operation ${times}`).helped();
  }
  await failureOf(budget('another').check(), 'too_many_step_ups');
  scene.ports.advance(3_600_000);
  await budget('another').check();
});

test('[A-163] a step-up that the person declined at the prompt costs nothing of the budget', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  const add = (relogin: Relogin) => callTool(scene, login, 'note_add', { text: 'x' }, { relogin });
  for (let times = 0; times < 5; times += 1) {
    await failureOf(
      add(async () => {
        throw stepUpDeclined(login, ['notes:write'], 'now');
      }),
      'step_up_declined',
    );
  }
  const relogin = stepUp(scene);
  await add(relogin);
  assert.equal(relogin.count, 1);
});

test('[R-5.6a] what another process was given in the meantime is used, and nobody is asked', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  await scene.login({ scopes: ['notes:write'], heldScopes: login.scopes });
  await callTool(scene, login, 'note_add', { text: 'x' }, { relogin: () => assert.fail('asked') });
});

const byProgram = { caller: () => 'agent' };

test('[A-78] three tabs that no person asked for and nobody answers, then no more within the hour: exit 3, and what to type', async () => {
  await using scene = await openScene({}, { browse: async () => undefined });
  const unanswered = { ...byProgram, timeoutMs: 50 };
  for (let tabs = 0; tabs < 3; tabs += 1) await scene.loginFails('login_timed_out', unanswered);
  const failure = await scene.loginFails('too_many_tabs', unanswered);
  assert.equal(failure.exit, 3);
  assert.match(failure.message, /\b3\b/);
  assert.match(failure.remedy, new RegExp(`postern login ${scene.sandbox.serverUrl}$`));
  const pasting = await scene.loginFails('login_timed_out', { ...unanswered, mode: 'no-browser' });
  assert.doesNotMatch(pasting.remedy, /--no-browser/, 'that is what was done');
  assert.equal(scene.ports.opened.length, 3);
  await scene.loginFails('login_timed_out', { timeoutMs: 50 });
  assert.equal(scene.ports.opened.length, 4, 'what a person types opens all the same');
  scene.ports.advance(3_600_000);
  await scene.loginFails('login_timed_out', unanswered);
  assert.equal(scene.ports.opened.length, 5);
});

test('[A-78] what a person types at a terminal always opens, however often it was tried before, and never counts', async () => {
  await using scene = await openScene({}, { browse: async () => undefined });
  for (let tabs = 0; tabs < 5; tabs += 1) await scene.loginFails('login_timed_out', { timeoutMs: 50 });
  const interruption = new AbortController();
  const reason = new Error('Ctrl-C');
  setImmediate(() => interruption.abort(reason));
  await assert.rejects(scene.login({ signal: interruption.signal }), reason);
  assert.ok(scene.ports.opened.length >= 5);
  await scene.loginFails('login_timed_out', { ...byProgram, timeoutMs: 50 });
  assert.equal(await loginBrakes(scene.ports, scene.request()).mayRepeat(), true);
});

test('[A-78] a token that was issued releases no brake, one that worked does: then three tabs again, and ten in all', async () => {
  let isAway = false;
  await using scene = await openScene({}, { browse: async (url) => isAway || walkLogin(url) });
  for (let logins = 0; logins < 3; logins += 1) await scene.login(byProgram);
  await scene.loginFails('too_many_tabs', byProgram);
  const login = await scene.login();
  await scene.loginFails('too_many_tabs', byProgram);
  isAway = true;
  for (let tabs = 3; tabs < 10; tabs += 1) {
    await callTool(scene, login, 'echo', { text: 'x' });
    await scene.loginFails('login_timed_out', { ...byProgram, timeoutMs: 50 });
  }
  await callTool(scene, login, 'echo', { text: 'x' });
  const failure = await scene.loginFails('too_many_tabs', byProgram);
  assert.match(failure.message, /\b10\b/);
});

test('[A-56] three registrations in vain an hour at one authorization server, then exit 4; an earlier login is as it was', async () => {
  await using scene = await openScene();
  await scene.login();
  scene.sandbox.setFaults(['token-missing']);
  for (let times = 0; times < 3; times += 1) {
    await scene.loginFails('token_unusable', { registration: 'dynamic' });
  }
  scene.sandbox.setFaults([]);
  const before = JSON.stringify(await scene.ports.index.read());
  const failure = await scene.loginFails('registered_too_often', { registration: 'dynamic' });
  assert.equal(failure.exit, 4);
  assert.match(failure.remedy, /--registration dynamic.*--client-id/);
  assert.equal(scene.sandbox.stats.registrations, 4);
  assert.equal(JSON.stringify(await scene.ports.index.read()), before);
  await scene.login(); // with the registration that is kept
});

test('registrations that a login came of do not count: in, out of all, and in again, as often as a person likes', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const wanted = { server: own.server.url, registration: 'dynamic' } as const;
  for (let times = 0; times < 4; times += 1) await scene.login(wanted);
  assert.equal(own.issuer.registrations.length, 4);
});
