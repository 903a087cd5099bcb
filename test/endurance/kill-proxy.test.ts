import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openStage, type Stage } from '../e2e/stage.js';
import { ask } from '../proxy/stand.js';
import { isTaken, logIn, recordOf, refreshTokensSent } from '../support/at-stage.js';
import { needs } from '../support/needs.js';
import { startCommand, startProgram } from '../support/program.js';
import { itemOf, letExpire, rounds } from './expiry.js';

const kills = rounds('POSTERN_ENDURANCE_PROXY_KILLS', 3, 50);

/** Processes whose command line holds this word. */
async function running(word: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (line.includes(word)) found.push(`${pid} ${line.replaceAll('\0', ' ')}`);
  }
  return found;
}

/** The login is as good as before, unless the kill came between the authorization server's answer and the write. */
async function judge(stage: Stage): Promise<'kept' | 'asked for'> {
  const held = await itemOf(stage, recordOf(stage).key); // whole: it is JSON
  const answered = refreshTokensSent(stage).includes(held.refreshToken);
  const { code, stdout, stderr } = await stage.run('token', stage.sandbox.serverUrl);
  if (code === 3 && answered) {
    await logIn(stage);
    return 'asked for';
  }
  assert.equal(code, 0, stderr);
  assert.ok(await isTaken(stage, stdout.trim()));
  return 'kept';
}

test(`SIGKILL of a proxy, or of its callers, at ${kills} random moments: no process, no lock and no login is lost`, {
  skip: needs('gnome-keyring', 'secret-tool', 'curl'),
}, async (context) => {
  await using stage = await openStage();
  await logIn(stage);
  const { serverUrl } = stage.sandbox;
  const count = { kept: 0, 'asked for': 0 };
  for (let round = 0; round < kills; round += 1) {
    await letExpire(stage, recordOf(stage).key, 0);
    await using proxy = startProgram(stage.home, ['proxy', serverUrl, '--non-interactive']);
    const [text] = await proxy.waitForStdout(/^http:\S+(?=\n)/m);
    const { pathname, port } = new URL(text);
    const callers = Array.from({ length: 3 }, () =>
      startCommand('curl', ['-sS', '-N', '-H', 'accept: text/event-stream', text], stage.home),
    );
    const asked = ask({ port: Number(port) }, pathname, { method: 'POST', body: '{}' }).catch(() => undefined);
    await wait(Math.random() * 400);
    for (const caller of callers) caller.kill('SIGKILL');
    if (round % 3 === 2) {
      const after = await ask({ port: Number(port) }, pathname, { method: 'POST', body: '{}' });
      assert.ok(after.status < 500, `it lives on without its callers: ${after.body}`);
    }
    proxy.kill('SIGKILL');
    await Promise.all([proxy.finished, asked, ...callers.map((caller) => caller.finished)]);
    assert.deepEqual(await running(serverUrl), []);
    count[await judge(stage)] += 1;
  }
  context.diagnostic(JSON.stringify(count));
  const locks = await readdir(`${stage.home.path}/state/postern/locks`);
  assert.deepEqual(
    locks.filter((name) => !name.endsWith('.lock')),
    [],
    'the next run sweeps what killed ones left',
  );
});
