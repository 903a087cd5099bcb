import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProtected } from './protected.js';
import { allOf, messagesOf, TestSession } from './session.js';

const typeOf = (response: Response) => response.headers.get('content-type');

test('an answer that stands alone is JSON, one with news before it is an event stream', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token());
  const alone = await session.call('echo', { text: 'a' });
  assert.equal(typeOf(alone), 'application/json');
  assert.equal(alone.headers.get('mcp-session-id'), session.id);
  assert.equal((await allOf(alone)).length, 1);

  const told = await session.call('countdown', { steps: 3, delayMs: 1 }, { progressToken: 'p' });
  assert.equal(typeOf(told), 'text/event-stream');
  const messages = await allOf(told);
  assert.deepEqual(
    messages.map(({ method }) => method),
    ['notifications/message', ...Array(3).fill('notifications/progress'), undefined],
  );
  const progress = messages.filter(({ method }) => method === 'notifications/progress');
  assert.deepEqual(
    progress.map(({ params }) => [params?.['progressToken'], params?.['progress'], params?.['total']]),
    [1, 2, 3].map((step) => ['p', step, 3]),
  );
  assert.deepEqual(messages.at(-1)?.result?.['content'], [{ type: 'text', text: 'Done after 3 steps.' }]);
});

test('a stream that the server closed is taken up again after the last event, and nothing is lost', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token());
  const args = { steps: 4, delayMs: 10, breakAt: 3 };
  const seen: unknown[] = [];
  let last: string | undefined;
  const note = async (response: Response): Promise<void> => {
    for await (const { message, id } of messagesOf(response)) {
      last = id ?? last;
      if (message?.method !== 'notifications/message' && message !== undefined) {
        seen.push(message.params?.['progress'] ?? 'result');
      }
    }
  };
  await note(await session.call('countdown', args, { progressToken: 'p' }));
  assert.deepEqual(seen, [1, 2]);
  await note(await session.listen({ 'last-event-id': last ?? '' }));
  assert.deepEqual(seen, [1, 2, 3, 4, 'result']);
});

test('[A-296] a stream cannot be taken up from another session', async () => {
  await using running = await runProtected();
  const token = await running.token();
  const session = await TestSession.open(running.url, token);
  const other = await TestSession.open(running.url, token);
  let last = '';
  const broken = await session.call('countdown', { steps: 2, delayMs: 1, breakAt: 2 }, { progressToken: 'p' });
  for await (const { id } of messagesOf(broken)) last = id ?? last;
  const taken = await other.listen({ 'last-event-id': last });
  const text = taken.status === 200 ? JSON.stringify(await allOf(taken)) : '';
  assert.equal(text.includes('Done after'), false);
});

test('a GET opens a stream at once, on which news of the session comes; there is one at a time', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token({ scope: 'mcp:basic notes:write' }));
  const listening = new AbortController();
  const stream = await session.listen({}, listening.signal);
  assert.equal(typeOf(stream), 'text/event-stream');
  assert.equal((await session.listen()).status, 409);
  await session.textOf('note_add', { text: 'x' });
  for await (const { message } of messagesOf(stream)) {
    assert.equal(message?.method, 'notifications/resources/list_changed');
    break;
  }
  listening.abort();
});
