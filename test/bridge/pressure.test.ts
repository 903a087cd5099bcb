import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { peakOf } from '../support/peak-memory.js';
import { bareHome, event, scriptedServer, usual } from './host.js';
import { startRawHost } from './raw-host.js';

test('[A-236] a flood of requests from a host that reads no answer is held up, not piled up', async () => {
  const text = 'x'.repeat(4_000);
  await using server = await scriptedServer((seen, response) => usual(seen, response));
  await using home = await bareHome();
  await using host = startRawHost(home, server.url);
  await host.write('{"jsonrpc":"2.0","id":"first","method":"ping"}');
  await host.line();
  const base = await peakOf(host.child.pid);
  let sent = 0;
  let isHeldUp = false;
  while (!isHeldUp && sent < 50_000) {
    const taken = host.write(JSON.stringify({ jsonrpc: '2.0', id: sent, method: 'ping', params: { text } }));
    sent += 1;
    isHeldUp = (await Promise.race([taken.then(() => 'taken'), later(2_000, 'held up')])) === 'held up';
  }
  assert.ok(isHeldUp, 'the host is made to wait');
  const answered = new Set<number>();
  for (let index = 0; index < sent; index += 1) answered.add(JSON.parse((await host.line()).toString()).id);
  assert.equal(answered.size, sent);
  const grown = (await peakOf(host.child.pid)) - base;
  assert.ok(grown < 64, `${grown} MiB more`);
});

for (const [what, text, most] of [
  ['requests', '', 40_000],
  ['bytes of requests', 'x'.repeat(64_000), 400],
] as const) {
  test(`[A-236] a flood of ${what} that the server does not answer is held up, and goes on when it does`, async () => {
    let held: (() => void)[] | undefined = [];
    await using server = await scriptedServer((seen, response) => {
      if (seen.message.id === 'first' || held === undefined) return usual(seen, response);
      held.push(() => usual(seen, response));
    });
    await using home = await bareHome();
    await using host = startRawHost(home, server.url);
    await host.write('{"jsonrpc":"2.0","id":"first","method":"ping"}');
    await host.line();
    let [sent, isHeldUp] = [0, false];
    while (!isHeldUp && sent < most) {
      const taken = host.write(JSON.stringify({ jsonrpc: '2.0', id: sent, method: 'ping', params: { text } }));
      sent += 1;
      isHeldUp = (await Promise.race([taken.then(() => 'taken'), later(2_000, 'held up')])) === 'held up';
    }
    assert.ok(isHeldUp, `all ${most} were taken, and none is answered`);
    const waiting = held;
    held = undefined;
    for (const answer of waiting) answer();
    const answered = new Set<number>();
    while (answered.size < sent) answered.add(JSON.parse((await host.line()).toString()).id);
  });
}

test('[A-257] a stream that the host does not read is not read either', async () => {
  let written = 0;
  const one = event({ jsonrpc: '2.0', method: 'notifications/message', params: { text: 'y'.repeat(20_000) } });
  await using server = await scriptedServer((seen, response) => {
    if (seen.message.method !== 'flood') return usual(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = (): void => {
      while (written < 3_000) {
        written += 1;
        if (!response.write(one)) return void response.once('drain', more);
      }
      response.end(event({ jsonrpc: '2.0', id: 1, result: {} }));
    };
    more();
  });
  await using home = await bareHome();
  await using host = startRawHost(home, server.url);
  await host.write('{"jsonrpc":"2.0","id":0,"method":"ping"}');
  await host.line();
  const base = await peakOf(host.child.pid);
  await host.write('{"jsonrpc":"2.0","id":1,"method":"flood"}');
  for (let still = 0, last = -1; still < 20; still = written === last ? still + 1 : 0) {
    last = written;
    await later(50);
  }
  assert.ok(written < 1_500, `${written} of 3,000 were taken`);
  for (let index = 0; index < 3_000; index += 1) assert.match((await host.line()).toString(), /notifications\/message/);
  assert.deepEqual(JSON.parse((await host.line()).toString()), { jsonrpc: '2.0', id: 1, result: {} });
  const grown = (await peakOf(host.child.pid)) - base;
  assert.ok(grown < 64, `${grown} MiB more`);
});
