import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyRows } from '../../../src/login/status/history-lines.js';
import type { HistoryEvent } from '../../support/product.js';

test('who wanted another token, and who says that one was refused, is told apart from a server’s own refusal', () => {
  const entry = (what: HistoryEvent, count = 1) => ({ what, detail: '', count, first: 0, last: 0 });
  const rows = (...entries: readonly ReturnType<typeof entry>[]) =>
    Object.fromEntries(historyRows(entries, 60_000).filter(([, text]) => text !== undefined));
  assert.deepEqual(rows(entry('refreshed', 2), entry('asked_anew')), {
    refreshed: '2 times, last 60 seconds ago, 1 of them by hand',
  });
  assert.equal(rows(entry('refreshed'), entry('asked_anew'))['refreshed'], 'once, 60 seconds ago, by hand');
  assert.deepEqual(rows(entry('refused'), entry('reported', 3)), {
    refused: 'once, 60 seconds ago; by another program’s report 3 times, last 60 seconds ago',
  });
  assert.deepEqual(rows(entry('reported')), { refused: 'by another program’s report once, 60 seconds ago' });
  const days = historyRows([entry('refused')], 3 * 86_400_000).find(([label]) => label === 'refused');
  assert.equal(days?.[1], 'once, 1970-01-01 (3 days ago)', 'a day is told where it is not today’s');
});
