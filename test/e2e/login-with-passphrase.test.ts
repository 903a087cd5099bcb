import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../support/at-stage.js';
import { makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { programCommand, runProgram } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';
import { findSecrets } from '../support/secrets-search.js';
import { startSandbox } from '../support/start-sandbox.js';

const passphrase = 'correct horse battery';

test('at a terminal sealed files have a passphrase, asked for unseen; without one they stay shut [R-5.8b] [A-194]', {
  skip: needs('script'),
}, async () => {
  await using sandbox = await startSandbox();
  await using home = await makeHome();
  const { serverUrl } = sandbox;
  const at = (...args: string[]) => startAtTerminal(home, programCommand(args), { stdout: 'file', columns: 100 });

  await using login = await at('login', serverUrl, '--no-browser', '--store', 'file');
  await login.screen.waitForStdout(/New passphrase[^:]*: /);
  login.type(`${passphrase}\r`);
  await login.screen.waitForStdout(/Once more: /);
  login.type(`${passphrase}\r`);
  await walkLogin(await authorizationUrlOf(login.screen));
  assert.equal((await login.screen.finished).code, 0, login.screen.stdout);

  await using asked = await at('token', serverUrl);
  await asked.screen.waitForStdout(/Passphrase of the sealed files: /);
  asked.type('not the passphrase\r');
  await asked.screen.waitForStdout(/That is not it\.[\s\S]*Passphrase of the sealed files: /);
  asked.type(`${passphrase}\r`);
  assert.equal((await asked.screen.finished).code, 0, asked.screen.stdout);
  const token = (await asked.result()).trim();
  assert.match(token, /^\S{20,}$/);

  await using left = await at('token', serverUrl);
  await left.screen.waitForStdout(/Passphrase of the sealed files: /);
  left.type('\x03');
  assert.equal((await left.screen.finished).code, 130);

  const alone = await runProgram(home, ['token', serverUrl]);
  assert.deepEqual([alone.code, alone.stdout], [7, '']);
  assert.match(alone.stderr, /no terminal to ask/);
  const texts = { login: login.screen.stdout, token: asked.screen.stdout };
  assert.deepEqual(await findSecrets({ passphrase }, { folders: [home.path], texts }), []);
});
