import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProtected } from './protected.js';
import { allOf, messagesOf, TestSession } from './session.js';

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
