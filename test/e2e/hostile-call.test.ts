import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { makeHome } from '../support/home.js';
import { answerOf, answersTo, eventStream, MiB } from '../support/hostile-server.js';
import { programCommand } from '../support/program.js';

const notice = (size: number): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(size) } })}\n\n`;

test('what nobody reads of the notifications is not read from the server either, and nothing of it is lost [A-257]', async () => {
  const count = 60_000;
  await using server = await answersTo('tools/call', ({ id }) =>
    eventStream(notice(200), count, `data: ${answerOf(id, 100)}\n\n`, 100),
  );
  await using home = await makeHome();
  const [command, ...args] = programCommand(['call', server.url, 'x', '--timeout', '300']);
  const child = spawn(command, args, { cwd: home.path, env: home.env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  const closed = once(child, 'close');
  for (let still = 0, last = -1; still < 15; still = server.written === last && last > 0 ? still + 1 : 0) {
    last = server.written;
    await later(100);
  }
  assert.ok(server.written < 9 * MiB, `${server.written} bytes of 17 million were taken`);
  let lines = 0;
  child.stderr.on('data', (text: Buffer) => {
    lines += text.toString('latin1').split('\n').length - 1;
  });
  assert.deepEqual(await closed, [0, null]);
  assert.equal(lines, count);
});
