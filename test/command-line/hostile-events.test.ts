import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHome, event, scriptedServer, startBridge, usual } from '../bridge/host.js';

test('[A-161] an event identifier that no header can carry is dropped, and "retry: 0" makes no storm', async () => {
  const cuts: number[] = [];
  await using server = await scriptedServer((seen, response) => {
    const isBack = seen.method === 'GET' && seen.headers['last-event-id'] !== undefined;
    if (!isBack && seen.message.method !== 'tools/call') return usual(seen, response, 's');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: {} };
    if (isBack && cuts.length === 2) {
      response.end(event({ jsonrpc: '2.0', id: 1, result: { done: true } }));
      return;
    }
    const hostile = ['bad\0id', 'b\u00e4d', 'bad\u2028x'].map((id) => event(progress, id)).join('');
    response.write(`retry: 0\n\n${event(progress, `good-${cuts.length}`)}${hostile}retry: 99999x\n\n`);
    cuts.push(performance.now());
    response.end();
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await host.open();
  host.send({ id: 1, method: 'tools/call' });
  for (let answer = await host.next(); answer.id !== 1; ) answer = await host.next();
  const resumed = server.seen.flatMap(({ headers }) => headers['last-event-id'] ?? []);
  assert.deepEqual(resumed, ['good-0', 'good-1']);
  assert.ok((cuts[1] ?? 0) - (cuts[0] ?? 0) >= 240, 'not at once');
});
