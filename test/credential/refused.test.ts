import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStage, type Stage } from '../e2e/stage.js';
import { itemOf, logIn, recordOf, refreshTokensSent, writeItem } from '../endurance/expiry.js';
import { needs } from '../support/needs.js';
import { runProgram } from '../support/program.js';
import { gitInput } from './seeded.js';

const skip = needs('gnome-keyring', 'secret-tool');

/** Logs in, and makes the token two minutes old: a report of a younger one is nobody's business. */
async function open(): Promise<{
  stage: Stage;
  key: string;
  ask: (operation: string, ...lines: string[]) => Promise<string>;
}> {
  const stage = await openStage();
  const { key } = await logIn(stage);
  await age(stage, key);
  const { host } = new URL(stage.sandbox.serverUrl);
  const ask = async (operation: string, ...lines: string[]) => {
    const input = gitInput('protocol=http', `host=${host}`, 'path=mcp', ...lines);
    const { code, stdout, stderr } = await runProgram(
      stage.home,
      ['credential', 'git', '--timeout', '60', operation],
      input,
    );
    assert.deepEqual([code, stderr], [0, '']);
    return stdout;
  };
  return { stage, key, ask };
}

async function age(stage: Stage, key: string): Promise<void> {
  const item = await itemOf(stage, key);
  await writeItem(stage, key, { ...item, obtainedAt: Date.now() - 120_000 });
}

const passwordIn = (output: string) => /^password=(.*)$/m.exec(output)?.[1];

test('[A-175] erase has that very token refreshed at the next use, and removes nothing', { skip }, async () => {
  const { stage: opened, key, ask } = await open();
  await using stage = opened;
  const first = passwordIn(await ask('get'));
  assert.equal(first, (await itemOf(stage, key)).accessToken);
  await ask('erase', 'username=oauth2', 'password=another');
  await ask('erase', 'capability[]=authtype', 'authtype=Bearer', 'credential=another');
  await ask('erase');
  await ask('store', 'username=oauth2', 'password=planted');
  assert.equal(passwordIn(await ask('get')), first);
  assert.deepEqual(refreshTokensSent(stage), []);
  const before = await itemOf(stage, key);
  await ask('erase', 'capability[]=authtype', 'authtype=Bearer', `credential=${first}`);
  assert.deepEqual(await itemOf(stage, key), before, 'the item is as it was');
  const second = passwordIn(await ask('get'));
  assert.notEqual(second, first);
  assert.deepEqual(refreshTokensSent(stage), [before.refreshToken]);
  await ask('erase', 'username=oauth2', `password=${first}`);
  await ask('erase', 'username=oauth2', `password=${second}`); // younger than a minute: another would fare no better
  assert.equal(passwordIn(await ask('get')), second);
  assert.equal(refreshTokensSent(stage).length, 1);
});

test('[A-175] erase for another host, path or account changes nothing', { skip }, async () => {
  const { stage: opened, key } = await open();
  await using stage = opened;
  const { accessToken } = await itemOf(stage, key);
  const { host } = new URL(stage.sandbox.serverUrl);
  const before = recordOf(stage);
  for (const place of [
    ['protocol=http', 'host=127.0.0.1:1', 'path=mcp'],
    ['protocol=https', `host=${host}`, 'path=mcp'],
    ['protocol=http', `host=${host}`, 'path=mcpx'],
    ['protocol=http', `host=${host}`],
    ['protocol=http', `host=${host}`, 'path=mcp', 'username=somebody'],
  ]) {
    const input = gitInput(...place, `password=${accessToken}`);
    const { code, stdout } = await runProgram(stage.home, ['credential', 'git', '--timeout', '60', 'erase'], input);
    assert.deepEqual([code, stdout], [0, '']);
  }
  assert.deepEqual(recordOf(stage), before);
});

test('a token refused in the process of go is refreshed; a module that is not there refuses nothing', {
  skip,
}, async () => {
  const { stage: opened, key } = await open();
  await using stage = opened;
  const { serverUrl } = stage.sandbox;
  const ask = (input: string) =>
    runProgram(stage.home, ['credential', 'goauth', '--timeout', '60', serverUrl, `${serverUrl}/mod`], input);
  const { refreshToken } = await itemOf(stage, key);
  assert.equal((await ask('HTTP/1.1 404 Not Found\nA: b\n\n')).code, 0);
  assert.deepEqual(refreshTokensSent(stage), []);
  assert.equal((await ask('HTTP/1.1 401 Unauthorized\nA: b\n\n')).code, 0);
  assert.deepEqual(refreshTokensSent(stage), [refreshToken]);
});
