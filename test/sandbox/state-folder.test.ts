import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { StateFolder } from '../../src/sandbox/state-folder.js';
import { failureOf } from '../support/http.js';
import { startSandbox as start } from '../support/start-sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { listenForCallback, loggedIn, registerNative, tokenRequest } from './client.js';
import { TestSession } from './protected-server/session.js';

const startIn = async (folder: string) => await start({}, await StateFolder.open(folder));

test('--state: addresses, keys, clients and refresh tokens are the same after a restart, by one private file without any token in it', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'kept');
  await using callback = await listenForCallback();
  const first = await startIn(path);
  const clientId = await registerNative(first);
  const { redemption } = await loggedIn(first, callback, clientId);
  const { json } = await tokenRequest(first, redemption);
  await first.close();

  const second = await startIn(path);
  assert.deepEqual([second.serverUrl, second.issuer], [first.serverUrl, first.issuer]);
  await TestSession.open(second.serverUrl, String(json['access_token'])); // the access token of the first run
  const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: String(json['refresh_token']) };
  const refreshed = await tokenRequest(second, refresh);
  assert.equal(refreshed.status, 200, 'its refresh token');
  assert.equal((await tokenRequest(second, refresh)).status, 400, 'and that one only once');
  const { answer } = await loggedIn(second, callback, clientId);
  assert.ok(answer.has('code'), 'its client');
  await second.close();

  assert.deepEqual(await readdir(path), ['sandbox.json']);
  const modes = [path, join(path, 'sandbox.json')].map(async (each) => (await stat(each)).mode & 0o777);
  assert.deepEqual(await Promise.all(modes), [0o700, 0o600]);
  const text = await readFile(join(path, 'sandbox.json'), 'utf8');
  for (const one of [json, refreshed.json])
    for (const name of ['access_token', 'refresh_token']) assert.ok(!text.includes(String(one[name])), name);
});

test('--state: a folder that others may enter, and what no sandbox wrote, are refused', async () => {
  await using folder = await temporaryFolder();
  const open = join(folder.path, 'open');
  await mkdir(open);
  await chmod(open, 0o755);
  const failure = await failureOf(StateFolder.open(open), 'sandbox_state_unusable');
  assert.match(failure.remedy, /^Make it private: chmod 700 /);
  await chmod(open, 0o700);
  for (const text of ['', '{', '{}', '{"version":1,"ports":{"server":1},"keys":[],"records":{}}']) {
    await writeFile(join(open, 'sandbox.json'), text);
    await failureOf(StateFolder.open(open), 'sandbox_state_unreadable');
  }
  await writeFile(join(folder.path, 'file'), '');
  await failureOf(StateFolder.open(join(folder.path, 'file')), 'sandbox_state_unusable');
});
