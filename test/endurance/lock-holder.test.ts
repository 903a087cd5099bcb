import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openStage, type Stage } from '../e2e/stage.js';
import { isTaken, logIn, refreshAsked, refreshTokensSent } from '../support/at-stage.js';
import { makeHomeWithKey } from '../support/home.js';
import { needs } from '../support/needs.js';
import { type Finished, runProgram, startProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';
import { startTraced } from '../support/strace.js';
import { itemOf, letExpire } from './expiry.js';

const skip = needs('gnome-keyring', 'secret-tool');
const others = 4;

/** Many processes at once: on a busy machine the keychain answers each of them late, which is not what is shown here. */
const token = ({ home, sandbox }: Stage): Promise<Finished> =>
  runProgram({ ...home, env: { ...home.env, POSTERN_STORE_SECONDS: '60' } }, ['token', sandbox.serverUrl]);

const tokens = (stage: Stage): Promise<readonly Finished[]> =>
  Promise.all(Array.from({ length: others }, () => token(stage)));

/** A process that has the lock and waits for the answer to its refresh. */
async function holder(stage: Stage) {
  const before = refreshTokensSent(stage).length;
  const running = startProgram(stage.home, ['token', stage.sandbox.serverUrl]);
  await refreshAsked(stage, before);
  return running;
}

describe('the process that refreshes comes to harm', { concurrency: 3, skip }, () => {
  test('[A-136][A-139] killed before the authorization server has done anything: the next one refreshes, once, for all', async () => {
    await using stage = await openStage({ faults: ['refresh-slow'] });
    const { key } = await logIn(stage);
    await letExpire(stage, key, 0);
    await using first = await holder(stage);
    stage.sandbox.setFaults([]);
    const asked = tokens(stage);
    first.kill('SIGKILL');
    const all = await asked;
    for (const { code, stderr } of all) assert.deepEqual([code, stderr], [0, '']);
    assert.equal(refreshTokensSent(stage).length, 2, 'that of the dead one and one more');
    assert.equal(new Set(all.map(({ stdout }) => stdout)).size, 1);
    assert.ok(await isTaken(stage, all[0]?.stdout.trim() ?? ''));
  });

  test('[A-136] killed between the answer and the write, the one gap: a new login is asked for, once, and no storm', async () => {
    await using stage = await openStage({ faults: ['refresh-late'] });
    const { key } = await logIn(stage);
    await letExpire(stage, key, 0);
    await using first = await holder(stage);
    first.kill('SIGKILL');
    await first.finished;
    stage.sandbox.setFaults([]);
    const all = await tokens(stage);
    for (const { code, stdout } of all) assert.deepEqual([code, stdout], [3, '']);
    assert.equal(refreshTokensSent(stage).length, 2, 'that of the dead one and one more');
    await logIn(stage);
    assert.equal((await token(stage)).code, 0);
  });

  test('[A-139] paused while the token still lives: the others use that token, and never the refresh token that is under way', async () => {
    await using stage = await openStage({ faults: ['refresh-late'] });
    const { key } = await logIn(stage);
    const old = await letExpire(stage, key, 50_000);
    await using first = await holder(stage);
    first.kill('SIGSTOP');
    const all = await tokens(stage);
    for (const { code, stdout } of all) assert.deepEqual([code, stdout.trim()], [0, old.accessToken]);
    assert.equal(refreshTokensSent(stage).length, 1);
    first.kill('SIGCONT');
    const { code, stdout } = await first.finished;
    assert.equal(code, 0);
    assert.equal((await itemOf(stage, key)).accessToken, stdout.trim());
    assert.equal((await token(stage)).stdout, stdout);
    assert.equal(refreshTokensSent(stage).length, 1);
  });

  test('[A-139] paused when the token has run out: the others end within the stated limit, exit 6, and send nothing', async () => {
    await using stage = await openStage({ faults: ['refresh-late'] });
    const { key } = await logIn(stage);
    await letExpire(stage, key, 0);
    await using first = await holder(stage);
    first.kill('SIGSTOP');
    for (const { code, stdout, stderr } of await tokens(stage)) {
      assert.deepEqual([code, stdout], [6, ''], stderr);
      assert.match(stderr, new RegExp(`process ${first.pid}\\b`));
    }
    assert.equal(refreshTokensSent(stage).length, 1);
    first.kill('SIGCONT');
    const { code, stderr } = await first.finished;
    assert.equal(code, 0, stderr);
    assert.equal((await token(stage)).code, 0);
    assert.equal(refreshTokensSent(stage).length, 1);
  });

  test('[A-139] paused on another machine for longer than its lock lasts: its refresh token is not sent again, and its answer is kept', async () => {
    await using stage = await openStage({ faults: ['refresh-late'] });
    const { key } = await logIn(stage);
    await letExpire(stage, key, 0);
    await using first = await holder(stage);
    first.kill('SIGSTOP');
    const lock = `${stage.home.path}/state/postern/locks/${key}.lock`;
    takenByTime(lock);
    const { code, stdout, stderr } = await token(stage);
    assert.equal(refreshTokensSent(stage).length, 1, 'the paused process has sent it already');
    assert.deepEqual([code, stdout], [3, ''], stderr);
    assert.match(stderr, /sent its refresh token at .* has written no response.*\s+Run: postern login/s);
    first.kill('SIGCONT');
    const finished = await first.finished;
    assert.equal(finished.code, 0, finished.stderr);
    assert.equal((await token(stage)).stdout, finished.stdout);
    assert.equal(refreshTokensSent(stage).length, 1);
  });

  test('[A-139] stopped between its lock and its request, and another machine refreshes meanwhile: what is spent is not sent', {
    skip: needs('strace'),
  }, async () => {
    await using sandbox = await startSandbox({ approve: true });
    await using home = await makeHomeWithKey({ POSTERN_STORE: 'file' });
    const login = await runProgram(home, ['login', sandbox.serverUrl, '--device', '--name', 'work']);
    assert.equal(login.code, 0, login.stderr);
    const refresh = ['token', 'work', '--min-ttl', '400'];
    // Where room is made for the answer: the stored credential has been read by then, and nothing was sent.
    const held = ['-e', 'trace=fchmod', '-e', 'inject=fchmod:signal=SIGSTOP:when=1', '-o', '/dev/null'];
    await using first = startTraced(home, held, refresh);
    const state = join(home.path, 'state', 'postern');
    const rooms = () => (existsSync(join(state, 'recovery')) ? readdirSync(join(state, 'recovery')) : []);
    while (rooms().length === 0) await wait(2);
    const [name = ''] = readdirSync(join(state, 'locks'));
    const { pid } = takenByTime(join(state, 'locks', name));
    while (!/ [Tt] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await wait(2);
    const second = await runProgram(home, refresh);
    assert.equal(second.code, 0, second.stderr);
    process.kill(pid, 'SIGCONT');
    const { code, stderr } = await first.finished;
    assert.equal(code, 0, stderr);
    const sent = sandbox.requests
      .map(({ params }) => new Map(params))
      .filter((form) => form.get('grant_type') === 'refresh_token')
      .map((form) => form.get('refresh_token'));
    assert.ok(sent.length > 0);
    assert.equal(new Set(sent).size, sent.length, 'each was sent once');
    assert.equal((await runProgram(home, refresh)).code, 0);
  });
});

/** Makes a lock one of another machine's, whose time has run out. Returns what it says. */
function takenByTime(lock: string): { readonly pid: number } {
  const claim = JSON.parse(readFileSync(lock, 'utf8'));
  writeFileSync(lock, JSON.stringify({ ...claim, system: 'another-machine pid:[1]' }));
  const hourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(lock, hourAgo, hourAgo);
  return claim;
}
