import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { openStage, type Stage } from '../e2e/stage.js';
import { itemOf, logIn, refreshTokensSent } from '../endurance/expiry.js';
import { needs } from '../support/needs.js';
import { type Finished, launcher, runProgram, startCommand } from '../support/program.js';
import { findSecrets } from '../support/secrets-search.js';
import { seed, token, work } from './seeded.js';

const skip = needs('gnome-keyring', 'secret-tool');

/** The token in what `credential headers` prints; this process is who asks. */
async function ask({ home, sandbox }: Stage, format = 'headers', server = sandbox.serverUrl): Promise<string> {
  const { code, stdout, stderr } = await runProgram(home, ['credential', format, server, '--timeout', '60']);
  assert.equal(code, 0, stderr);
  const answer = JSON.parse(stdout);
  return answer.status?.token ?? answer.Authorization.replace('Bearer ', '');
}

const folderOf = (stage: Stage) => `${stage.home.path}/state/postern/handed-out`;

for (const format of ['headers', 'kubectl']) {
  test(`a program that is given a token and asks for ${format} again within seconds was refused: one refresh, and no more within a minute`, {
    skip,
  }, async () => {
    await using stage = await openStage();
    const { key } = await logIn(stage);
    const first = await ask(stage, format);
    assert.equal(first, (await itemOf(stage, key)).accessToken);
    const second = await ask(stage, format);
    assert.notEqual(second, first);
    assert.equal(second, (await itemOf(stage, key)).accessToken);
    assert.equal(await ask(stage, format), second);
    assert.equal(await ask(stage, format), second);
    assert.equal(refreshTokensSent(stage).length, 1);
    // What is noted tells nothing of the token, and is for nobody else to read.
    assert.deepEqual(await findSecrets({ first, second }, { folders: [folderOf(stage)], texts: {} }), []);
    const files = readdirSync(folderOf(stage)).map((name) => `${folderOf(stage)}/${name}`);
    assert.deepEqual(
      [statSync(folderOf(stage)).mode & 0o777, ...files.map((file) => statSync(file).mode & 0o777)],
      [0o700, ...files.map(() => 0o600)],
    );
  });
}

test('who asks again within a minute of a renewal gets what is stored, by the short way; after it, another one', {
  skip,
}, async () => {
  await using stage = await openStage();
  await logIn(stage);
  await ask(stage);
  const renewed = await ask(stage);
  // The long way would now take the renewal for the first of this minute.
  rmSync(`${stage.home.path}/state/postern/attempts.json`);
  for (let times = 0; times < 3; times += 1) assert.equal(await ask(stage), renewed);
  assert.equal(refreshTokensSent(stage).length, 1);
  for (const name of readdirSync(folderOf(stage))) {
    const path = `${folderOf(stage)}/${name}`;
    const note = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...note, refreshedAt: note.refreshedAt - 60_000 }));
  }
  assert.notEqual(await ask(stage), renewed);
  assert.equal(refreshTokensSent(stage).length, 2);
});

test('nobody is refused who asks another time: after ten seconds, from another process, in another format', {
  skip,
}, async () => {
  await using stage = await openStage();
  await logIn(stage);
  const { serverUrl } = stage.sandbox;
  const first = await ask(stage);
  // From a process of its own each time, as commands of a shell are.
  const script = `require('node:child_process').execFileSync(process.execPath, ${JSON.stringify([
    launcher,
    'credential',
    'headers',
    serverUrl,
  ])}, { stdio: 'inherit' })`;
  const elsewhere = async (): Promise<Finished> => {
    await using running = startCommand(process.execPath, ['-e', script], stage.home);
    running.stdin.end();
    return await running.finished;
  };
  for (let times = 0; times < 2; times += 1) {
    const { stdout, stderr } = await elsewhere();
    assert.equal(JSON.parse(stdout || '{}').Authorization, `Bearer ${first}`, stderr);
  }
  for (const words of [
    ['credential', 'header', serverUrl],
    ['token', serverUrl],
  ]) {
    assert.ok((await runProgram(stage.home, words)).stdout.includes(first));
  }
  // As if the first had been long ago, by the file's time, and by what stands in it.
  for (const name of readdirSync(folderOf(stage))) {
    const path = `${folderOf(stage)}/${name}`;
    const note = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...note, at: note.at - 10_000 }));
  }
  assert.equal(await ask(stage), first);
  for (const name of readdirSync(folderOf(stage))) {
    const path = `${folderOf(stage)}/${name}`;
    utimesSync(path, Date.now() / 1000 - 11, Date.now() / 1000 - 11);
  }
  assert.equal(await ask(stage), first);
  // Notes of another login, of an earlier process with our number, and of a clock that was set back.
  for (const change of [
    { key: 'f'.repeat(64) },
    { caller: { pid: process.pid, started: 'at another time' } },
    { at: Date.now() + 5_000 },
  ]) {
    for (const name of readdirSync(folderOf(stage))) {
      const note = JSON.parse(readFileSync(`${folderOf(stage)}/${name}`, 'utf8'));
      writeFileSync(`${folderOf(stage)}/${name}`, JSON.stringify({ ...note, ...change }));
    }
    assert.equal(await ask(stage), first, JSON.stringify(change));
  }
  // Notes that are no notes.
  for (const text of ['', '{', '[]', '{"version":1}', 'x'.repeat(5000)]) {
    for (const name of readdirSync(folderOf(stage))) writeFileSync(`${folderOf(stage)}/${name}`, text);
    assert.equal(await ask(stage), first);
  }
  assert.deepEqual(refreshTokensSent(stage), []);
});

test('[A-134] a helper that was started before the token was given to another has not asked again, however late it is', {
  skip,
}, async () => {
  await using stage = await openStage();
  await logIn(stage);
  await using late = stage.start('credential', 'headers', stage.sandbox.serverUrl, '--timeout', '60');
  late.kill('SIGSTOP'); // as where there is a lot to do
  const first = await ask(stage);
  late.kill('SIGCONT');
  const { code, stdout, stderr } = await late.finished;
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(JSON.parse(stdout).Authorization, `Bearer ${first}`);
  assert.deepEqual(refreshTokensSent(stage), []);
});

test('a token that was renewed meanwhile is another one than was given: it is not taken for refused', {
  skip,
}, async () => {
  await using stage = await openStage();
  await logIn(stage);
  const first = await ask(stage);
  const renewed = (await stage.run('token', stage.sandbox.serverUrl, '--refresh')).stdout.trim();
  assert.notEqual(renewed, first);
  assert.equal(await ask(stage), renewed);
  assert.equal(refreshTokensSent(stage).length, 1);
});

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
