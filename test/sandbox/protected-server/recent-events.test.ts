import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { RecentEvents } from '../../../src/sandbox/protected-server/recent-events.js';

const told = (method: string): JSONRPCMessage => ({ jsonrpc: '2.0', method });

async function after(events: RecentEvents, id: string): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  await events.replayEventsAfter(id, {
    send: async (_, message) => {
      seen.push('method' in message ? message.method : message);
    },
  });
  return seen;
}

test('a stream is repeated from after the event named, without other streams and without opening events', async () => {
  const events = new RecentEvents();
  // The SDK stores an empty object when a stream opens.
  const opening = await events.storeEvent('a', {} as JSONRPCMessage);
  const first = await events.storeEvent('a', told('a1'));
  const other = await events.storeEvent('b', told('b1'));
  await events.storeEvent('a', {} as JSONRPCMessage);
  await events.storeEvent('a', told('a2'));
  assert.deepEqual(await after(events, opening), ['a1', 'a2']);
  assert.deepEqual(await after(events, first), ['a2']);
  assert.deepEqual(await after(events, other), []);
  assert.equal(await events.getStreamIdForEventId(other), 'b');
  assert.equal(await events.getStreamIdForEventId('none'), undefined);
});

test('the oldest events are forgotten', async () => {
  const events = new RecentEvents();
  const first = await events.storeEvent('a', told('a'));
  for (let more = 0; more < 1000; more += 1) await events.storeEvent('a', told('a'));
  assert.equal(await events.getStreamIdForEventId(first), undefined);
});
