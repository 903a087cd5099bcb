import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProtected } from './protected.js';
import { messagesOf, TestSession } from './session.js';

const everything = { scope: 'mcp:basic notes:read notes:write' };

test('whoami, echo and fail do what they say', async () => {
  await using running = await runProtected();
  const exp = Math.floor(Date.now() / 1000) + 200;
  const session = await TestSession.open(running.url, await running.token({ exp }));
  const { structuredContent } = await session.result('tools/call', { name: 'whoami' });
  assert.deepEqual(structuredContent, {
    subject: 'alice',
    clientId: 'client-1',
    scopes: ['mcp:basic'],
    expiresAt: new Date(exp * 1000).toISOString(),
  });
  assert.equal(await session.textOf('echo', { text: 'ä', repeat: 2 }), 'ä\nä');
  const failed = await session.result('tools/call', { name: 'fail', arguments: { message: 'no' } });
  assert.deepEqual(failed, { content: [{ type: 'text', text: 'no' }], isError: true });
});

test('notes belong to the subject, across sessions and clients, and there is an end to them', async () => {
  await using running = await runProtected();
  const alice = await TestSession.open(running.url, await running.token(everything));
  const bob = await TestSession.open(running.url, await running.token({ ...everything, sub: 'bob' }));
  const again = await TestSession.open(running.url, await running.token({ ...everything, client_id: 'other' }));
  await alice.textOf('note_add', { text: 'mine' });
  assert.equal(await again.textOf('note_list'), '1. mine');
  assert.equal(await bob.textOf('note_list'), 'No notes.');
  assert.equal(await bob.textOf('note_clear'), 'Deleted 0 notes.');
  for (let more = 1; more < 100; more += 1) await alice.textOf('note_add', { text: 'more' });
  const full = await alice.result('tools/call', { name: 'note_add', arguments: { text: 'too many' } });
  assert.equal(full['isError'], true);
  assert.equal(await alice.textOf('note_clear'), 'Deleted 100 notes.');
});

/** What confirm answers to a client that replies so. */
async function confirmed(reply: Readonly<Record<string, unknown>>): Promise<unknown> {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token(), { elicitation: {} });
  for await (const { message } of messagesOf(await session.call('confirm', { what: 'Launch?' }))) {
    if (message?.method === 'elicitation/create') {
      assert.equal(message.params?.['message'], 'Launch?');
      const sent = await session.send({ jsonrpc: '2.0', id: message.id, result: reply });
      assert.equal(sent.status, 202);
    } else if (message?.result !== undefined) {
      return (message.result['content'] as { readonly text: string }[])[0]?.text;
    }
  }
  return undefined;
}

test('confirm asks the person at the client, and explains where it cannot', async () => {
  assert.equal(await confirmed({ action: 'accept', content: { sure: true } }), 'Confirmed.');
  assert.equal(await confirmed({ action: 'accept', content: { sure: false } }), 'Not confirmed.');
  assert.equal(await confirmed({ action: 'accept', content: { sure: 'x' } }), 'The answer does not fit the question.');
  assert.equal(await confirmed({ action: 'decline' }), 'The person did not answer (decline).');
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token());
  assert.match(await session.textOf('confirm'), /does not declare elicitation/);
});
