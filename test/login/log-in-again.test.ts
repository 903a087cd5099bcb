import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginCommand } from '../../src/core/login-command.js';
import { loginStatus } from '../../src/login/status/login-status.js';
import { freshToken } from '../support/flows/calls.js';
import { openOwnScene } from '../support/flows/own-scene.js';
import { openScene, type WantedLogin } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';

test('the remedy of a login that has ended names that very login: its account, or its name where it has one', async () => {
  await using scene = await openScene();
  const { serverUrl } = scene.sandbox;
  const plain = await scene.login();
  const home = await scene.login({ account: 'home' });
  const named = await scene.login({ account: 'away', name: 'trips' });
  scene.sandbox.setFaults(['refresh-invalid-grant']);
  scene.ports.advance(299_000);
  const commands = [`postern login ${serverUrl}`, `postern login ${serverUrl} --account home`, 'postern login trips'];
  for (const [at, login] of [plain, home, named].entries()) {
    const { remedy } = await failureOf(freshToken(scene, login), 'login_expired');
    assert.equal(remedy, `Run: ${commands[at]}`);
    assert.equal((await failureOf(freshToken(scene, login), 'login_expired')).remedy, remedy, 'the second time, too');
  }
  const { logins } = await scene.ports.index.read();
  assert.deepEqual(
    logins.map((login) => loginStatus(login, scene.ports.clock.now()).remedy),
    commands,
  );
});

test('a login whose secret is gone, or that was never made, is asked for with its account', async () => {
  await using scene = await openScene();
  const home = await scene.login({ account: 'home' });
  await scene.ports.store.remove(home.key);
  const { remedy } = await failureOf(freshToken(scene, home), 'login_needed');
  assert.equal(remedy, `Run: postern login ${scene.sandbox.serverUrl} --account home`);
});

test('the command that makes a login is one that a shell takes', () => {
  const server = 'https://example.com/mcp?project=a;b';
  assert.equal(loginCommand({ server }), `postern login '${server}'`);
  assert.equal(
    loginCommand({ server, account: "o'neil", grant: 'client_credentials' }),
    `postern login '${server}' --account 'o'\\''neil' --client-credentials`,
  );
  assert.equal(loginCommand({ server, account: 'a', name: 'work' }, '--no-browser'), 'postern login work --no-browser');
  assert.equal(
    loginCommand({ server: 'https://example.com', newName: 'work' }),
    'postern login https://example.com --name work',
  );
});

test('a login made with --scope is made again with it', async () => {
  await using scene = await openScene();
  const login = await scene.login({ scopes: ['mcp:basic', 'notes:read'], name: 'notes' });
  assert.equal(loginCommand(login), "postern login notes --scope 'mcp:basic notes:read'");
  const wider = await scene.login({ scopes: ['notes:write'], heldScopes: login.scopes });
  assert.equal(loginCommand(wider), "postern login notes --scope 'mcp:basic notes:read notes:write'");
  const asked = await scene.login({ account: 'other' });
  assert.doesNotMatch(loginCommand(asked), /--scope/);
});

test('a second account of a server is asked for by name, where the authorization server lets a person choose', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  const server = own.server.url;
  const promptOf = async (account: string, more: Partial<WantedLogin> = {}) => {
    await scene.login({ server, account, ...more });
    return own.issuer.authorizations.at(-1)?.get('prompt');
  };
  assert.equal(await promptOf('one'), null);
  assert.equal(await promptOf('two'), null, 'nothing says that a choice is offered');
  own.issuer.metadata = { ...own.issuer.metadata, prompt_values_supported: ['login', 'select_account'] };
  assert.equal(await promptOf('three'), 'select_account');
  assert.equal(await promptOf('three'), null, 'a login that is made again is as it was');
  assert.equal(await promptOf('four', { page: { loginHint: 'ada@example.com' } }), null);
  assert.equal(await promptOf('five', { page: { prompts: ['login'] } }), 'login');
});

test('two accounts that are known to be one person are said to be', async () => {
  await using scene = await openScene();
  const said = () => scene.ports.told.filter((line) => line.includes('of the same person'));
  await scene.login({ account: 'one', scopes: ['openid', 'mcp:basic'], name: 'work' });
  await scene.login({ account: 'one', scopes: ['openid', 'mcp:basic'] });
  await scene.login({ account: 'two', scopes: ['mcp:basic'] });
  assert.deepEqual(said(), []);
  await scene.login({ account: 'three', scopes: ['openid', 'mcp:basic'] });
  const [line, ...others] = said();
  assert.match(
    line ?? '',
    /^Note: work is a login of the same person, \S+@\S+\. .*run: postern login http\S+ --account three --scope 'openid mcp:basic' --prompt login$/,
  );
  assert.deepEqual(others, []);
});
