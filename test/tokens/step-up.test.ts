import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shellWord } from '../../src/core/text/printable.js';
import { login } from '../../src/login/log-in.js';
import { callTool, listTools, stepUp } from '../support/flows/calls.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { loggedInOnce, openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginRecord, Relogin } from '../support/product.js';

const loggedIn = loggedInOnce();

test('[Q-6.13][R-5.6a] step-up: scopes widened, those held kept, the original call sent again', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  const relogin = stepUp(scene);
  await callTool(scene, login, 'note_add', { text: 'hello' }, { relogin });
  assert.equal(relogin.count, 1);
  const [record] = (await scene.ports.index.read()).logins;
  assert.ok(
    login.scopes.every((scope) => record?.scopes.includes(scope)),
    'held scopes are kept',
  );
  assert.ok(record?.scopes.includes('notes:write'));
});

test('[R-2.1c][R-7.1] missing scope without leave to ask: exit 3, the scope and the way are named', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  const failure = await failureOf(callTool(scene, login, 'note_add', { text: 'x' }), 'insufficient_scope');
  assert.equal(failure.exit, 3);
  assert.match(failure.message, /notes:write/);
  assert.match(failure.remedy, /then try again: postern login \S+ --scope .*notes:write/);
});

test('[A-162] the same scope asked for again after it was got: no second step-up, exit 4', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  scene.sandbox.setFaults(['server-403-always']);
  const relogin = stepUp(scene);
  const failure = await failureOf(callTool(scene, login, 'echo', { text: 'x' }, { relogin }), 'scope_refused');
  assert.equal(failure.exit, 4);
  assert.equal(relogin.count, 1);
});

test('[A-164] a step-up challenge that leads to another server is no step-up', async () => {
  await using scene = await loggedIn();
  const { held: login } = scene;
  scene.sandbox.setFaults(['server-403-other-server', 'prm-other-issuer']);
  const { tokenRequests } = scene.sandbox.stats;
  const relogin = stepUp(scene);
  const called = callTool(scene, login, 'echo', { text: 'x' }, { relogin });
  await failureOf(called, 'authorization_server_changed');
  assert.deepEqual(scene.ports.opened, []);
  assert.equal(scene.sandbox.stats.tokenRequests, tokenRequests);
});

/** A step-up whose person leaves the new scope unticked. */
const unticked = (scene: Scene): Relogin & { count: number } => {
  const relogin = async (held: LoginRecord, scopes: readonly string[], begin: () => Promise<void>) => {
    await begin();
    relogin.count += 1;
    return login(scene.ports, scene.request({ scopes, heldScopes: held.scopes }));
  };
  relogin.count = 0;
  return relogin;
};

test('[R-5.6b] a scope that was left unticked is not asked for again: one tab, and the command that asks for it', async () => {
  await using scene = await openScene({}, { walk: { scopes: ['mcp:basic', 'offline_access'] } });
  const held = await scene.login();
  const relogin = unticked(scene);
  const add = () => callTool(scene, held, 'note_add', { text: 'x' }, { relogin });
  for (let calls = 0; calls < 4; calls += 1) {
    const failure = await failureOf(add(), 'scope_not_granted');
    assert.equal(failure.exit, 4);
    assert.match(failure.message, /"notes:write".*not granted/);
    assert.match(failure.remedy, /postern login \S+ --scope '.*mcp:basic.* notes:write'$/);
  }
  assert.equal(relogin.count, 1);
  scene.ports.advance(3_600_000);
  await failureOf(add(), 'scope_not_granted');
  assert.equal(relogin.count, 2, 'after an hour it may be asked for again');
});

test('[R-7.1] a 403 that names what is missing in its body alone: the whole line that asks for it', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.server.whenAuthorized = (_, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'missing_required_scopes', missing_scopes: ['more'] }));
  };
  const held = await scene.login({ server: own.server.url, scopes: ['some'] });
  const { remedy } = await failureOf(listTools(scene, held), 'insufficient_scope');
  assert.equal(
    remedy,
    `Ask for that scope, then try again: postern login ${own.server.url} --scope ${shellWord('some more')}`,
  );
});
