import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { type Home, makeHomeWithKey } from '../support/home.js';
import { runHere, startHere } from '../support/in-process.js';
import { walkLogin } from '../support/product.js';
import { findSecrets } from '../support/secrets-search.js';
import { startSandbox } from '../support/start-sandbox.js';

async function logIn(home: Home, ...args: string[]): Promise<void> {
  await using program = startHere(home, ['login', '--no-browser', ...args]);
  await walkLogin(await authorizationUrlOf(program));
  const { code, stderr } = await program.finished;
  assert.equal(code, 0, stderr);
}

test('without a keychain a login is kept in sealed files by choice only, works, and leaves nothing [R-5.8b] [A-194] [A-205]', async () => {
  await using sandbox = await startSandbox({ accessTokenSeconds: 2 });
  await using home = await makeHomeWithKey();
  const { serverUrl } = sandbox;
  const refused = await runHere(home, ['login', serverUrl, '--no-browser']);
  assert.equal(refused.code, 7, 'no silent downgrade, also with a key file at hand');
  assert.match(refused.stderr, /--store file/);

  await logIn(home, serverUrl, '--name', 'box', '--store', 'file');
  const status = JSON.parse((await runHere(home, ['status', '--json'])).stdout);
  assert.equal(status.logins[0].store, 'file');
  const token = (await runHere(home, ['token', 'box'])).stdout.trim();
  assert.match(token, /^\S{20,}$/);
  const call = await runHere(home, ['call', 'box', 'whoami']);
  assert.match(call.stdout, /^alice/, call.stderr);
  const second = (await runHere(home, ['token', 'box'])).stdout.trim();
  assert.notEqual(second, token);
  assert.deepEqual(await findSecrets({ token, second }, { folders: [home.path], texts: {} }), []);

  // The next login goes where the last one is, unasked.
  await logIn(home, serverUrl, '--account', 'other');
  const both = JSON.parse((await runHere(home, ['status', '--json'])).stdout);
  assert.deepEqual(
    both.logins.map(({ store }: { store: string }) => store),
    ['file', 'file'],
  );

  const without = { ...home, env: { ...home.env, POSTERN_STORE_KEY_FILE: '' } };
  const keyless = await runHere(without, ['token', 'box']);
  assert.deepEqual([keyless.code, keyless.stdout], [7, '']);
  assert.match(keyless.stderr, /POSTERN_STORE_KEY_FILE/);

  assert.equal((await runHere(home, ['logout', 'box'])).code, 0);
  assert.equal((await runHere(home, ['logout', serverUrl, '--account', 'other'])).code, 0);
  assert.deepEqual(await readdir(join(home.path, 'state', 'postern', 'sealed')), []);
});

test('the environment chooses the store, too, and no name of none is taken', async () => {
  await using sandbox = await startSandbox();
  await using home = await makeHomeWithKey();
  const chosen = { ...home, env: { ...home.env, POSTERN_STORE: 'file' } };
  await logIn(chosen, sandbox.serverUrl);
  const shown = await runHere(home, ['status', '-l']);
  assert.match(shown.stdout, /stored in +a sealed file/);
  for (const word of ['plain', 'memory', '../x']) {
    const wrong = await runHere(home, ['login', sandbox.serverUrl, '--no-browser', '--store', word]);
    assert.equal(wrong.code, 2, wrong.stderr);
  }
});
