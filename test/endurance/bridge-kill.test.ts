import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startBuiltBridge } from '../bridge/built-bridge.js';
import { bareHome, scriptedServer, usual } from '../bridge/host.js';
import { openStage, type Stage } from '../e2e/stage.js';
import { isTaken, logIn, recordOf, refreshTokensSent } from '../support/at-stage.js';
import { needs } from '../support/needs.js';
import { programCommand, startCommand } from '../support/program.js';
import { itemOf, letExpire, rounds } from './expiry.js';

const skip = needs('gnome-keyring', 'secret-tool');
const kills = rounds('POSTERN_ENDURANCE_BRIDGE_KILLS', 4, 100);

/** A host in few words: it starts the bridge, opens a session, calls without end, and tells the bridge's process. */
const hostScript = `
  const { spawn } = require('node:child_process');
  const bridge = spawn(process.argv[1], process.argv.slice(2), { stdio: ['pipe', 'pipe', 'ignore'] });
  bridge.stdin.on('error', () => undefined);
  const send = (message) => bridge.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  let id = 1;
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } };
  send({ id: 0, method: 'initialize', params });
  bridge.stdout.on('data', () => send({ id: id++, method: 'tools/list', params: {} }));
  console.log(bridge.pid);
`;

/** Bridges to that server that still run. */
async function bridgesTo(url: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (words.includes(`\0bridge\0${url}`)) found.push(pid);
  }
  return found;
}

async function killedAtRandom(stage: Stage, who: 'host' | 'bridge'): Promise<void> {
  const { serverUrl } = stage.sandbox;
  const command = programCommand(['bridge', serverUrl, '--non-interactive']);
  await using host = startCommand(process.execPath, ['-e', hostScript, ...command], stage.home);
  const [, bridge] = await host.waitForStdout(/^(\d+)\n/);
  await wait(Math.random() * 1_500);
  if (who === 'host') host.kill('SIGKILL');
  else process.kill(Number(bridge), 'SIGKILL');
  for (let look = 0; look < 500 && (await bridgesTo(serverUrl)).length > (who === 'host' ? 0 : 1); look += 1)
    await wait(20);
  host.kill('SIGKILL');
}

test(`[A-240] SIGKILL of host or bridge at ${kills} random moments, some while the token is refreshed: no orphan, no lock, no login lost`, {
  skip,
}, async (context) => {
  await using stage = await openStage();
  const { serverUrl } = stage.sandbox;
  await logIn(stage);
  let askedFor = 0;
  for (let round = 0; round < kills; round += 1) {
    const { key } = recordOf(stage);
    if (round % 3 !== 0) await letExpire(stage, key, 0);
    await killedAtRandom(stage, round % 2 === 0 ? 'host' : 'bridge');
    for (let look = 0; look < 500 && (await bridgesTo(serverUrl)).length > 0; look += 1) await wait(20);
    assert.deepEqual(await bridgesTo(serverUrl), [], `round ${round}: an orphan`);
    // Killed between the authorization server's answer and the write: nobody has the new refresh token.
    const spent = refreshTokensSent(stage).includes((await itemOf(stage, key)).refreshToken);
    const { code, stdout, stderr } = await stage.run('token', serverUrl);
    if (code === 3 && spent) {
      askedFor += 1;
      await logIn(stage);
      continue;
    }
    assert.equal(code, 0, `round ${round}: ${stderr}`);
    assert.ok(await isTaken(stage, stdout.trim()));
  }
  const locks = await readdir(`${stage.home.path}/state/postern/locks`);
  assert.deepEqual(
    locks.filter((name) => !name.endsWith('.lock')),
    [],
  );
  context.diagnostic(`${askedFor} of ${kills} were killed between an answer and its write`);
});

test('a server that is killed and comes back: errors meanwhile, answers after, and the bridge lives on', async () => {
  await using home = await bareHome();
  const first = await scriptedServer((seen, response) => {
    if (seen.message.method === 'hang') response.destroy();
    else usual(seen, response, 'first');
  });
  await using host = startBuiltBridge(home, first.url);
  await host.open();
  assert.equal((await host.ask({ id: 1, method: 'hang' })).error?.code, -31012);
  await first[Symbol.asyncDispose]();
  const down = await host.ask({ id: 2, method: 'tools/call' });
  assert.equal(down.error?.data?.['code'], 'network_failed', JSON.stringify(down));
  await using again = await scriptedServer((seen, response) => {
    const isOld = seen.headers['mcp-session-id'] === 'first';
    if (isOld && seen.message.id !== undefined) response.writeHead(404).end();
    else usual(seen, response, 'second');
  }, first.port);
  assert.ok((await host.ask({ id: 3, method: 'tools/call' })).result !== undefined);
  assert.ok(again.seen.some(({ headers }) => headers['mcp-session-id'] === 'second'));
});
