import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { findSecrets } from '../support/secrets-search.js';
import { openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool', 'script');

/** Every secret that the sandbox gave out or was sent, from its own log. */
function secretsSeen(stage: Stage): Record<string, string> {
  const secrets: Record<string, string> = {};
  const wanted = ['state', 'code', 'code_verifier', 'refresh_token', 'client_secret', 'token'];
  for (const { params, headers } of stage.sandbox.requests) {
    const bearer = /^Bearer (.+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
    const found = params.filter(([name]) => wanted.includes(name));
    if (bearer !== undefined) found.push(['access_token', bearer]);
    for (const [name, value] of found) secrets[`${name} ${Object.keys(secrets).length}`] = value;
  }
  return secrets;
}

test('[Q-6.18] tokens are in the keychain and nowhere else: not on disk, in no printed byte, in no argument [R-5.8b] [A-70]', {
  skip,
}, async () => {
  await using stage = await openStage({ accessTokenSeconds: 2 });
  const { serverUrl } = stage.sandbox;
  // A person at a desktop: elsewhere the address beside the opened browser is the authorization server's, state and all.
  Object.assign(stage.home.env, { DISPLAY: ':1' });
  await using login = await stage.atTerminal('login', serverUrl, '--name', 'box', '--verbose');
  await walkLogin(await stage.browser.opened());
  assert.equal((await login.screen.finished).code, 0, login.screen.stdout);
  await using again = await stage.atTerminal('login', serverUrl, '--no-browser', '--force', '--verbose');
  const authorizationUrl = await authorizationUrlOf(again.screen);
  await walkLogin(authorizationUrl);
  assert.equal((await again.screen.finished).code, 0, again.screen.stdout);

  const first = await stage.token('box');
  const commands = [
    ['call', 'box', 'whoami', '--verbose'],
    ['request', serverUrl, '-i', '--verbose'],
    ['status', '--verbose'],
    ['status', '--json'],
    ['call', 'box', 'no-such-tool', '--json', '--verbose'],
    ['token', 'no-such-server', '--verbose'],
  ];
  for (const command of commands) await stage.run(...command);
  const second = await stage.token('box');

  const stored = (await stage.keyring.items()).map(({ secret }) => secret).join('\n');
  assert.ok(stored.includes(second), 'secret-tool finds the access token in the keychain');
  const secrets = { ...secretsSeen(stage), 'first token': first, 'second token': second };
  // The address that --no-browser prints carries its state: it is shown to the person on purpose.
  const shown = new URL(authorizationUrl).searchParams.get('state');
  const hidden = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== shown));
  for (const name of ['state', 'code', 'code_verifier', 'access_token']) {
    assert.ok(
      Object.keys(hidden).some((known) => known.startsWith(name)),
      `a ${name} was seen to search for`,
    );
  }
  const texts = { ...stage.printed, 'browser: arguments and environment': await stage.browser.record() };
  assert.deepEqual(await findSecrets(hidden, { folders: [stage.home.path], texts }), []);

  await stage.run('logout', 'box');
  assert.deepEqual(await stage.keyring.items(), [], 'after logout the keychain holds nothing of it');
});
