import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStage } from '../e2e/stage.js';
import { itemOf, logIn, refreshTokensSent } from '../endurance/expiry.js';
import { needs } from '../support/needs.js';
import { runProgram } from '../support/program.js';
import { seed, token, work } from './seeded.js';

const skip = needs('gnome-keyring', 'secret-tool');

test('token --refresh: another token, though the stored one lives, under the lock', { skip }, async () => {
  await using stage = await openStage();
  const { key } = await logIn(stage);
  const { serverUrl } = stage.sandbox;
  const first = await stage.token(serverUrl);
  const { code, stdout, stderr } = await stage.run('token', serverUrl, '--refresh');
  assert.equal(code, 0, stderr);
  assert.notEqual(stdout.trim(), first);
  assert.equal(stdout.trim(), (await itemOf(stage, key)).accessToken);
  assert.equal(await stage.token(serverUrl), stdout.trim());
  assert.equal(refreshTokensSent(stage).length, 1);
  const both = await Promise.all([1, 2].map(() => stage.run('token', serverUrl, '--refresh', '--json')));
  for (const one of both) assert.equal(one.code, 0, one.stderr);
  assert.ok(refreshTokensSent(stage).length <= 3);
});

test('token --refresh of a login without a refresh token: exit 3, what to run, and the token at hand stays', {
  skip,
}, async () => {
  await using seeded = await seed(work());
  const ask = (...args: string[]) => runProgram(seeded.home, ['token', 'work', ...args]);
  const { code, stdout, stderr } = await ask('--refresh');
  assert.deepEqual([code, stdout], [3, '']);
  assert.match(stderr, /no refresh token[\s\S]+postern login work[\s\S]*no_refresh_token/);
  assert.equal((await ask()).stdout, `${token}\n`);
});
