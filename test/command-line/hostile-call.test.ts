import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configure, makeHome } from '../support/home.js';
import {
  type AskedFor,
  answerOf,
  answersTo,
  eventStream,
  hostileServer,
  inOnePiece,
  MiB,
} from '../support/hostile-server.js';
import { runHere } from '../support/in-process.js';

const notice = (size: number): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(size) } })}\n\n`;

test('notifications without end are no call without end: it reads so much in all, and says so [A-257]', async () => {
  await using server = await answersTo('tools/call', () => eventStream(notice(MiB * 0.9), 60));
  await using home = await makeHome();
  await configure(home, { messageMiB: 1, callMiB: 4 });
  const { code, stdout, stderr } = await runHere(home, ['call', server.url, 'x', '--timeout', '20']);
  assert.equal(code, 5, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /sent more than 4 MiB in one call\.\n.*raise callMiB .*postern config/);
  assert.ok(server.written < 20 * MiB, `${server.written} bytes were taken`);
});

test('so it is with the pages of a list, of which there are so many at most [A-257]', async () => {
  const page = ({ id, params }: AskedFor): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      result: {
        tools: [{ name: `after ${params?.cursor}`, description: 'x'.repeat(MiB / 2) }],
        nextCursor: `${params?.cursor ?? ''}m`,
      },
    });
  await using server = await answersTo('tools/list', (asked) => inOnePiece(page(asked)));
  await using home = await makeHome();
  await configure(home, { callMiB: 4 });
  const all = await runHere(home, ['call', server.url, 'tools/list', '--json']);
  assert.equal(all.code, 5, all.stderr);
  assert.match(all.stderr, /"code": ?"too_large"/);
  const asked = () => server.asked.filter((method) => method === 'POST tools/list').length;
  assert.ok(asked() <= 9, `${asked()} pages`);
  await configure(home, { callMiB: 4, callPages: 3 });
  const before = asked();
  const some = await runHere(home, ['call', server.url, 'tools/list', '--json']);
  assert.equal(some.code, 0, some.stderr);
  assert.equal(asked() - before, 3);
  const { tools, nextCursor } = JSON.parse(some.stdout) as { tools: unknown[]; nextCursor: string };
  assert.deepEqual([tools.length, nextCursor], [3, 'mmm']);
  assert.match(some.stderr, /list is incomplete: it has more than 3 pages\. .*callPages/);
});

test('without a terminal a question of the server is declined, defaults or not, whatever is asked for', async () => {
  const properties = { name: { type: 'string', default: 'admin' }, sure: { type: 'boolean', default: true } };
  const params = { message: 'Sure?', requestedSchema: { type: 'object', properties } };
  const question = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params };
  const answers: unknown[] = [];
  const offered: unknown[] = [];
  await using server = await hostileServer((asked) => {
    if (asked.method === 'initialize') offered.push(asked.params?.capabilities);
    if (asked.id === 'q') answers.push(asked.result);
    if (asked.method !== 'tools/call') return undefined;
    return eventStream(`data: ${JSON.stringify(question)}\n\n`, 1, `data: ${answerOf(asked.id, 60)}\n\n`);
  });
  await using home = await makeHome();
  for (const how of [[], ['--elicitation', 'ask'], ['--elicitation', 'decline']]) {
    const { code, stderr } = await runHere(home, ['call', server.url, 'x', ...how], 'admin\ny\ny\n');
    assert.equal(code, 0, stderr);
  }
  assert.deepEqual(answers, [{ action: 'decline' }, { action: 'decline' }, { action: 'decline' }]);
  assert.deepEqual(offered, [{}, { elicitation: { form: {} } }, {}]);
  await runHere(home, ['call', server.url, 'x', '--elicitation', 'defaults']);
  assert.deepEqual(answers[3], { action: 'accept', content: { name: 'admin', sure: true } });
});
